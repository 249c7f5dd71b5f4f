import {
  applyEdits,
  type Edit,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser';
import { isJsonArray, isJsonObject, type Json, jsonEquals, type JsonObject } from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';
import type { SettingPath } from './settingLocator.ts';

/** Each step changes one member or list item. Settings that need more are written by the editor. */
const MAX_STEPS = 2_000;

const BYTE_ORDER_MARK = '\u{feff}';

/**
 * Sets one member in a settings file's text. `undefined` removes it, with the objects that this leaves empty. All other
 * text stays as it is: comments, layout and line ends, which the editor's API would change. Returns `undefined` if that
 * is unsafe: the file has errors, has a name twice, or does not use one dotted key.
 */
export function withSetting(
  text: string,
  root: SettingPath,
  key: string,
  path: readonly string[],
  value: Json | undefined,
): string | undefined {
  const mark = text.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : '';
  const steps = [key, ...path];
  let now = text.slice(mark.length);
  for (let left = MAX_STEPS; left > 0; left--) {
    const settings = settingsIn(now, root);
    if (settings === undefined || !hasOneDottedKey(settings, key)) return undefined;
    const edits = value === undefined ? removalAt(now, settings, steps) : changeAt(now, settings, steps, value);
    if (edits.length === 0) return jsonEquals(valueAt(jsonOf(settings), steps), value) ? mark + now : undefined;
    now = applyEdits(now, [...edits]);
  }
  return undefined;
}

/** The value of a setting with a dotted key. */
export function settingIn(text: string, root: SettingPath, key: string): Json | undefined {
  const settings = settingsIn(text.replace(BYTE_ORDER_MARK, ''), root);
  return settings && valueAt(jsonOf(settings), [key]);
}

/** Whether the editor reads the whole file. Comments, trailing commas and an empty file are fine. */
export function isSettingsText(text: string): boolean {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return errors.length === 0;
}

function settingsIn(text: string, root: SettingPath): Node | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (tree?.type !== 'object' || errors.length > 0) return undefined;
  const settings = findNodeAtLocation(tree, [...root]);
  return settings?.type === 'object' ? settings : undefined;
}

function hasOneDottedKey(settings: Node, key: string): boolean {
  const [first = ''] = key.split('.');
  const names = childrenOf(settings).map(nameOf);
  const ours = names.filter((name) => name === first || name === key || name.startsWith(`${key}.`));
  return ours.length <= 1 && (ours[0] ?? key) === key;
}

function valueAt(value: Json | undefined, path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, step) => (isJsonObject(at) ? at[step] : undefined), value);
}

function jsonOf(node: Node): Json | undefined {
  return toJson(getNodeValue(node));
}

function childrenOf(node: Node): readonly Node[] {
  return node.children ?? [];
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function propertyOf(node: Node, name: string): Node | undefined {
  return node.type === 'object' ? childrenOf(node).find((property) => nameOf(property) === name) : undefined;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function cut(from: number, to: number): Edit {
  return { offset: from, length: to - from, content: '' };
}

/** Removes a member, and each object above it that has no other member and no comment. Keeps the settings object. */
function removalAt(text: string, settings: Node, steps: readonly string[]): readonly Edit[] {
  const chain: { readonly container: Node; readonly property: Node }[] = [];
  let at: Node | undefined = settings;
  for (const step of steps) {
    const property: Node | undefined = at && propertyOf(at, step);
    if (at === undefined || property === undefined) return [];
    chain.push({ container: at, property });
    at = property.children?.[1];
  }
  const top = chain.findLastIndex(({ container, property }) => !isAllOf(text, container, property));
  const { container, property } = chain[Math.max(top, 0)] ?? {};
  return container === undefined || property === undefined ? [] : removal(text, container, property);
}

/** The next edit on the way to `value`. Empty if the member has it. */
function changeAt(text: string, settings: Node, steps: readonly string[], value: Json): readonly Edit[] {
  let at = settings;
  for (const [depth, step] of steps.entries()) {
    const nested = (from: number): Json =>
      steps.slice(from).reduceRight<Json>((inner, name) => ({ [name]: inner }), value);
    if (at.type !== 'object') return [replacement(text, at, nested(depth))];
    const child = findNodeAtLocation(at, [step]);
    if (child === undefined) return insertion(text, at, step, nested(depth + 1));
    at = child;
  }
  return change(text, at, value);
}

function change(text: string, node: Node, value: Json): readonly Edit[] {
  if (jsonEquals(jsonOf(node), value)) return [];
  if (node.type === 'object' && isJsonObject(value)) return changeInObject(text, node, value);
  if (node.type === 'array' && isJsonArray(value)) return changeInList(text, node, value);
  return [replacement(text, node, value)];
}

function changeInObject(text: string, node: Node, value: JsonObject): readonly Edit[] {
  for (const property of childrenOf(node)) {
    const child = property.children?.[1];
    const wanted = Object.hasOwn(value, nameOf(property)) ? value[nameOf(property)] : undefined;
    if (wanted === undefined) return removal(text, node, property);
    const edits = child === undefined ? [] : change(text, child, wanted);
    if (edits.length > 0) return edits;
  }
  for (const [name, added] of Object.entries(value))
    if (added !== undefined && propertyOf(node, name) === undefined) return insertion(text, node, name, added);
  return [];
}

function changeInList(text: string, node: Node, value: readonly Json[]): readonly Edit[] {
  const items = childrenOf(node);
  const other = items.find((item, index) => !jsonEquals(jsonOf(item), value[index]));
  if (other !== undefined) return removal(text, node, other);
  const next = value[items.length];
  return next === undefined ? [] : insertion(text, node, undefined, next);
}

function replacement(text: string, node: Node, value: Json): Edit {
  return { offset: node.offset, length: node.length, content: onLines(text, value, indentAt(text, node.offset)) };
}

/** Whether the container has nothing else inside, not even a comment. */
function isAllOf(text: string, container: Node, child: Node): boolean {
  const inside = text.slice(container.offset + 1, child.offset) + text.slice(endOf(child), endOf(container) - 1);
  return childrenOf(container).length === 1 && /^\s*,?\s*$/.test(inside);
}

/** Removes a member or item with its line or, in a line with others, with the space beside it. */
function removal(text: string, container: Node, child: Node): readonly Edit[] {
  if (isAllOf(text, container, child)) return [cut(container.offset + 1, endOf(container) - 1)];
  const { commas, to, isLast } = withCommas(text, container, child);
  const lead = lineBefore(text, child.offset);
  const rest = /[^\r\n]*/y;
  rest.lastIndex = to;
  const [after = ''] = rest.exec(text) ?? [];
  if (lead !== undefined && after.trim() === '') return [...commas, cut(lead.from, to + after.length)];
  const isBeforeEnd = isLast && to + after.length >= endOf(container);
  if (lead !== undefined) return [...commas, cut(isBeforeEnd ? lead.from : child.offset, to)];
  if (!isLast) return [...commas, cut(child.offset, to + after.length - after.trimStart().length)];
  return [...commas, cut(text.slice(0, child.offset).replace(/[ \t]+$/, '').length, to)];
}

/** The commas that go with a child: the one right after it, up to which it ends, and others as edits of their own. */
function withCommas(
  text: string,
  container: Node,
  child: Node,
): { readonly commas: readonly Edit[]; readonly to: number; readonly isLast: boolean } {
  const siblings = childrenOf(container);
  const index = siblings.indexOf(child);
  const before = siblings[index - 1];
  const isLast = index === siblings.length - 1;
  const comma = commaAfter(text, endOf(child));
  if (comma !== undefined) {
    const isNear = text.slice(endOf(child), comma).trim() === '';
    return isNear
      ? { commas: [], to: comma + 1, isLast }
      : { commas: [cut(comma, comma + 1)], to: endOf(child), isLast };
  }
  // The last child takes the comma before it along.
  const commaBefore = before && commaAfter(text, endOf(before));
  return {
    commas: commaBefore === undefined ? [] : [cut(commaBefore, commaBefore + 1)],
    to: endOf(child),
    isLast,
  };
}

/** Adds a member or item at the end, on a line of its own if the last one has one. */
function insertion(text: string, container: Node, name: string | undefined, value: Json): readonly Edit[] {
  const label = name === undefined ? '' : `${JSON.stringify(name)}: `;
  const last = childrenOf(container).at(-1);
  if (last === undefined) return [firstInsertion(text, container, label, value)];
  const lead = lineBefore(text, last.offset);
  const comma = commaAfter(text, endOf(last));
  const content =
    lead === undefined ? ` ${label}${inLine(value)}` : lead.text + label + onLines(text, value, lead.indent);
  const at = comma === undefined ? endOf(last) : comma + 1;
  const added = { offset: lead === undefined ? at : lineEnd(text, at), length: 0, content };
  if (comma !== undefined) return [{ ...added, content: `${content},` }];
  if (added.offset === at) return [{ ...added, content: `,${content}` }];
  return [{ offset: at, length: 0, content: ',' }, added];
}

function firstInsertion(text: string, container: Node, label: string, value: Json): Edit {
  const from = container.offset + 1;
  const inside = text.slice(from, endOf(container) - 1);
  const isBlank = inside.trim() === '';
  if (isBlank && container.type === 'array') return { offset: from, length: inside.length, content: inLine(value) };
  // A file of one line stays one, unless it is empty.
  if (isBlank && !/[\r\n]/.test(text) && container.parent !== undefined)
    return { offset: from, length: inside.length, content: ` ${label}${inLine(value)} ` };
  const outer = indentAt(text, container.offset);
  const { eol, unit } = layoutOf(text);
  const content = eol + outer + unit + label + onLines(text, value, outer + unit);
  if (isBlank) return { offset: from, length: inside.length, content: content + eol + outer };
  const filled = inside.trimEnd().length;
  const isClosedBelow = /[\r\n]/.test(inside.slice(filled));
  return { offset: from + filled, length: 0, content: isClosedBelow ? content : content + eol + outer };
}

/** The line break and indentation before an offset, if the line has nothing else before it. */
function lineBefore(
  text: string,
  offset: number,
): { readonly from: number; readonly text: string; readonly indent: string } | undefined {
  const indent = indentAt(text, offset);
  const start = offset - indent.length;
  const [lineBreak = ''] = /(?:\r\n|\r|\n)$/.exec(text.slice(Math.max(0, start - 2), start)) ?? [];
  const from = start - lineBreak.length;
  return lineBreak === '' ? undefined : { from, text: lineBreak + indent, indent };
}

/** The indentation of the line of an offset. */
function indentAt(text: string, offset: number): string {
  const start = Math.max(text.lastIndexOf('\n', offset - 1), text.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? '';
}

/** The comma after a member or item, beyond spaces and comments. */
function commaAfter(text: string, offset: number): number | undefined {
  const trivia = /(?:\s|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;
  trivia.lastIndex = offset;
  const at = offset + (trivia.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at : undefined;
}

/** The end of the line if only comments follow, which belong to what stands before them. */
function lineEnd(text: string, offset: number): number {
  const rest = /[ \t]*(?:\/\*(?:(?!\*\/)[^\r\n])*\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=[\r\n])/y;
  rest.lastIndex = offset;
  return offset + (rest.exec(text)?.[0].length ?? 0);
}

function onLines(text: string, value: Json, indent: string): string {
  const { eol, unit } = layoutOf(text);
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent);
}

function inLine(value: Json): string {
  if (isJsonArray(value)) return `[${value.map(inLine).join(', ')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}: ${inLine(member)}`],
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

function layoutOf(text: string): { readonly unit: string; readonly eol: string } {
  const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? '    ';
  return { unit: indent.startsWith('\t') ? '\t' : indent, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
