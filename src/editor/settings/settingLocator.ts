import { type Node, parseTree } from 'jsonc-parser';

export type SettingPath = readonly (string | number)[];

/** The location of a member in a settings file. */
export interface SettingLocation {
  readonly offset: number;
  readonly length: number;
  /** Number of path steps found. A missing member is shown at its parent. */
  readonly depth: number;
}

/**
 * Finds `path` below the setting `key` in a settings file, in any form that the editor accepts: a dotted key
 * (`"mcpl.servers": {…}`), nested objects (`"mcpl": {"servers": {…}}`), or a mix. `root` is the path to the settings
 * (`["settings"]` in a .code-workspace file). `at: 'key'` marks the name of the member in any case.
 */
export function locateSetting(
  text: string,
  key: string,
  path: SettingPath,
  root: SettingPath = [],
  at?: 'key',
): SettingLocation | undefined {
  const tree = parseTree(text, [], { allowTrailingComma: true, disallowComments: false });
  if (tree === undefined) return undefined;
  const steps = [...root, ...key.split('.'), ...path];
  const needed = steps.length - path.length;
  const found = descend(tree, steps, 0, undefined);
  if (found === undefined || found.steps < needed) return undefined;
  return { ...span(found, at), depth: found.steps - needed };
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
  // The deepest match wins, and of equal ones the last, as for duplicate JSON keys.
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

/** Number of path steps in `name`: one, or several joined by dots. */
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

/** Marks a scalar itself, and an object or list at its name. */
function span(found: Found, at: 'key' | undefined): { readonly offset: number; readonly length: number } {
  const scalar = found.value.type !== 'object' && found.value.type !== 'array';
  const node = (scalar && at !== 'key') || found.name === undefined ? found.value : found.name;
  return { offset: node.offset, length: node.length };
}

/** Line and column of an offset, both from 0. */
export function positionAt(text: string, offset: number): { readonly line: number; readonly character: number } {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
