import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree } from 'jsonc-parser';
import type { Json } from '../../core/index.ts';
import type { SettingPath } from './settingLocator.ts';

/**
 * The text of a settings file with one member set, or, by `undefined`, taken out: comments and layout stay, which they
 * do not when the editor's own API replaces the whole setting. `undefined` when that is not safe, because the file has
 * errors or writes the setting in another way than as one dotted key.
 */
export function withSetting(
  text: string,
  root: SettingPath,
  key: string,
  path: SettingPath,
  value: Json | undefined,
): string | undefined {
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: true });
  if (tree === undefined || tree.type !== 'object' || errors.length > 0) return undefined;
  const settings = findNodeAtLocation(tree, [...root]);
  if (settings?.type !== 'object') return undefined;
  const [first = ''] = key.split('.');
  const names = (settings.children ?? []).map((property) => String(property.children?.[0]?.value));
  const ours = names.filter((name) => name === first || name === key || name.startsWith(`${key}.`));
  if (ours.length > 1 || (ours[0] ?? key) !== key) return undefined;
  const edits = modify(text, [...root, key, ...path], value, { formattingOptions: layoutOf(text) });
  return applyEdits(text, edits);
}

/** Whether the editor reads all of a settings file: comments, commas at the end and an empty file are no mistakes. */
export function isSettingsText(text: string): boolean {
  const errors: ParseError[] = [];
  parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  return errors.length === 0;
}

function layoutOf(text: string): { insertSpaces: boolean; tabSize: number; eol: string } {
  const indent = /^[ \t]+(?=\S)/m.exec(text)?.[0] ?? '    ';
  const insertSpaces = !indent.startsWith('\t');
  return { insertSpaces, tabSize: insertSpaces ? indent.length : 4, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
