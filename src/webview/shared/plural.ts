/** The noun for a count. A view imports nothing of the core, so this is its own. */
export function pluralWord(count: number, one: string): string {
  return count === 1 ? one : `${one}s`;
}
