/** Quoting rules: backslashes are part of paths on Windows, and escapes elsewhere. */
export type ShellStyle = 'posix' | 'windows';

type SplitLine =
  { readonly kind: 'words'; readonly words: readonly string[] } | { readonly kind: 'wrong'; readonly problem: string };

/**
 * Splits a command line into words like a shell, but without variables, patterns or operators. Rejects input that needs
 * a shell, instead of passing it to the program as an argument.
 */
export function splitCommandLine(line: string, style: ShellStyle): SplitLine {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    const escaped = escapedAt(line, i, quote, style);
    const role = escaped === undefined ? roleOf(char, quote, style) : 'text';
    if (role === 'operator')
      return { kind: 'wrong', problem: `No shell runs this line, so put quotes around words with ${char} in them.` };
    if (role === 'gap') {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + (role === 'text' ? (escaped ?? char) : '');
    if (role === 'open') quote = char;
    if (role === 'close') quote = undefined;
    if (escaped !== undefined) i++;
  }
  if (quote !== undefined) return { kind: 'wrong', problem: `A closing ${quote} is missing.` };
  return { kind: 'words', words: word === undefined ? words : [...words, word] };
}

type Role = 'text' | 'gap' | 'open' | 'close' | 'operator';

function roleOf(char: string, quote: string | undefined, style: ShellStyle): Role {
  if (quote !== undefined) return char === quote ? 'close' : 'text';
  if (char === '"' || (char === "'" && style === 'posix')) return 'open';
  if (/\s/.test(char)) return 'gap';
  return OPERATORS.has(char) ? 'operator' : 'text';
}

const OPERATORS: ReadonlySet<string> = new Set(['|', '&', ';', '<', '>']);

/** The character that a backslash at `i` escapes, if any. */
function escapedAt(line: string, i: number, quote: string | undefined, style: ShellStyle): string | undefined {
  if (line.charAt(i) !== '\\' || i + 1 >= line.length || quote === "'") return undefined;
  const next = line.charAt(i + 1);
  if (style === 'windows') return next === '"' && !closesPath(line, i + 1, quote) ? next : undefined;
  if (quote === '"') return '"\\$`'.includes(next) ? next : undefined;
  return next;
}

/** In `"C:\My Tools\" -x` the quotation mark ends the path. */
function closesPath(line: string, at: number, quote: string | undefined): boolean {
  if (quote === undefined) return false;
  const after = line.charAt(at + 1);
  return (after === '' || /\s/.test(after)) && !line.slice(at + 1).includes('"');
}

/** The inverse for display. Words that would be split are put in double quotes. */
export function joinCommandLine(words: readonly string[]): string {
  return words.map((word) => (/^[^\s"'\\|&;<>]+$/.test(word) ? word : JSON.stringify(word))).join(' ');
}
