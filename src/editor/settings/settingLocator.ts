import { type Node, parseTree } from 'jsonc-parser';

export type SettingPath = readonly (string | number)[];

/** Where a member of a setting stands in the text of a settings file. */
export interface SettingLocation {
  readonly offset: number;
  readonly length: number;
  /** How many steps of the path were found; a member that is missing is shown at what should contain it. */
  readonly depth: number;
}

/**
 * Finds `path` below the setting `key` in a settings file, written in any way the editor reads it: as one dotted key
 * (`"mcpl.servers": {…}`), nested (`"mcpl": {"servers": {…}}`), or in between. `root` leads to where the settings are
 * (`["settings"]` in a .code-workspace file).
 */
export function locateSetting(
  text: string,
  key: string,
  path: SettingPath,
  root: SettingPath = [],
): SettingLocation | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true, disallowComments: false });
  if (tree === undefined) return undefined;
  const steps = [...root, ...key.split('.'), ...path];
  const needed = steps.length - path.length;
  const found = descend(tree, steps, 0, undefined);
  if (found === undefined || found.steps < needed) return undefined;
  return { ...span(found), depth: found.steps - needed };
}

interface Found {
  readonly value: Node;
  readonly name: Node | undefined;
  readonly steps: number;
}

function descend(value: Node, steps: SettingPath, at: number, name: Node | undefined): Found {
  const here: Found = { value, name, steps: at };
  if (at === steps.length) return here;
  const deeper = value.type === 'array' ? item(value, steps, at) : members(value, steps, at);
  // The deepest match wins; of equal ones the last, as JSON's own duplicates do.
  return deeper.reduce((best, next) => (next.steps >= best.steps ? next : best), here);
}

function item(value: Node, steps: SettingPath, at: number): readonly Found[] {
  const step = steps[at];
  const child = typeof step === 'number' ? value.children?.[step] : undefined;
  return child === undefined ? [] : [descend(child, steps, at + 1, undefined)];
}

function members(value: Node, steps: SettingPath, at: number): readonly Found[] {
  const found: Found[] = [];
  for (const property of value.type === 'object' ? (value.children ?? []) : []) {
    const [name, child] = property.children ?? [];
    if (name === undefined || child === undefined || typeof name.value !== 'string') continue;
    const taken = stepsNamed(name.value, steps, at);
    if (taken > 0) found.push(descend(child, steps, at + taken, name));
  }
  return found;
}

/** How many of the next steps `name` stands for: one, or several joined by dots. */
function stepsNamed(name: string, steps: SettingPath, at: number): number {
  let joined = '';
  for (let end = at; end < steps.length; end++) {
    const step = steps[end];
    if (typeof step !== 'string') return 0;
    joined = end === at ? step : `${joined}.${step}`;
    if (joined === name) return end - at + 1;
    if (joined.length >= name.length) return 0;
  }
  return 0;
}

/** A scalar is marked itself; an object or list is marked at its name, which is where a reader looks. */
function span(found: Found): { readonly offset: number; readonly length: number } {
  const scalar = found.value.type !== 'object' && found.value.type !== 'array';
  const node = scalar || found.name === undefined ? found.value : found.name;
  return { offset: node.offset, length: node.length };
}

/** Line and column (both from 0) of an offset. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly character: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
