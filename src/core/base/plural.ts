/** A count with its noun: `1 checkpoint`, `2 checkpoints`. */
export function plural(count: number, one: string, many?: string): string {
  return `${count} ${pluralWord(count, one, many)}`;
}

/** The noun alone, for a sentence that has the count elsewhere or formats it. */
export function pluralWord(count: number, one: string, many = `${one}s`): string {
  return count === 1 ? one : many;
}
