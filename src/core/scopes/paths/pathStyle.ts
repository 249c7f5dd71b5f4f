/** Path syntax of one kind of system, text only. All methods take and return `/` separators. */
export interface PathStyle {
  readonly name: 'posix' | 'windows';
  /** Replaces the system's other separators by `/`. */
  slashed(text: string): string;
  /** Whether the meaning of a path does not depend on a base. */
  isAbsolute(text: string): boolean;
  /** Joins a path to an absolute base and keeps its dots. */
  from(base: string, text: string): string;
  /** Removes `.`, `..` and empty names. Keeps a leading `..` of a relative path. */
  normal(text: string): string;
  /** Why an absolute path cannot be judged as text. The path must still contain its dots. */
  trouble(path: string): string | undefined;
}

/** Removes dots from a list of names. `..` at a root has no effect. */
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
