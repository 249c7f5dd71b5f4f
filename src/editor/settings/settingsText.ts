import { applyEdits, findNodeAtLocation, modify, type ParseError, parseTree } from 'jsonc-parser';
import type { Json } from '../../core/index.ts';
import type { SettingPath } from './settingLocator.ts';

/**
 * Sets one member in a settings file's text, or removes it for `undefined`. Keeps comments and layout, which the
 * editor's API would lose. Returns `undefined` if that is unsafe: the file has errors, or does not use one dotted key.
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

/** Whether the editor reads the whole file. Comments, trailing commas and an empty file are fine. */
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
