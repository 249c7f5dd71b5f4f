/** How paths of a kind of system are read, as text alone. All take and give `/` only. */
export interface PathStyle {
  readonly name: 'posix' | 'windows';
  /** A path or a part of one with `/` where the system takes another sign for the same. */
  slashed(text: string): string;
  /** Whether a text means the same wherever it is said. */
  isAbsolute(text: string): boolean;
  /** What it means when said at an absolute path; its dots are still in it. */
  from(base: string, text: string): string;
  /** Without `.`, `..` and empty names; of a relative text those `..` stay that lead out of it. */
  normal(text: string): string;
  /** Why an absolute path must not be judged as text. Its dots must still be in it. */
  trouble(path: string): string | undefined;
}

/** Names without dots; `..` at a root leads nowhere. */
export function withoutDots(names: readonly string[], isRooted: boolean): readonly string[] {
  const kept: string[] = [];
  for (const name of names) {
    if (name === '' || name === '.') continue;
    if (name !== '..') kept.push(name);
    else if (kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (!isRooted) kept.push(name);
  }
  return kept;
}

export const posixStyle: PathStyle = {
  name: 'posix',
  slashed: (text) => text,
  isAbsolute: (text) => text.startsWith('/'),
  from: (base, text) => (text.startsWith('/') ? text : `${base}/${text}`),
  normal: (text) => {
    const isRooted = text.startsWith('/');
    return `${isRooted ? '/' : ''}${withoutDots(text.split('/'), isRooted).join('/')}`;
  },
  trouble: () => undefined,
};
