const LINE = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*)$/;

/**
 * Parses `NAME=value` lines of an environment file. Values may be quoted; in double quotes, `\n` is a line break. `#`
 * after white space starts a comment. Other lines are skipped.
 */
export function parseEnvFile(text: string): Readonly<Record<string, string>> {
  const result: Record<string, string> = {};
  for (const line of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const match = LINE.exec(line);
    if (match?.[1] === undefined) continue;
    result[match[1]] = unquote((match[2] ?? '').trim());
  }
  return result;
}

function unquote(value: string): string {
  const single = /^'([^']*)'/.exec(value);
  if (single) return single[1] ?? '';
  const double = /^"((?:[^"\\]|\\.)*)"/.exec(value);
  if (double) return (double[1] ?? '').replace(/\\(.)/g, (_, char: string) => (char === 'n' ? '\n' : char));
  return value.replace(/(^|\s)#.*$/, '').trim();
}
