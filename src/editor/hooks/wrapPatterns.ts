/** A language model, for matching `mcpl.models.wrap`. */
interface NamedModel {
  readonly vendor: string;
  readonly id: string;
  readonly family: string;
}

const MAX_PATTERNS = 64;
const MAX_PATTERN = 200;

/** The usable part of the setting. */
export function wrapPatterns(setting: unknown): readonly string[] {
  if (!Array.isArray(setting)) return [];
  const texts = setting.filter((item) => typeof item === 'string').map((text) => text.trim());
  const usable = texts.filter((text) => text !== '' && text.length <= MAX_PATTERN);
  return [...new Set(usable)].slice(0, MAX_PATTERNS);
}

/** Matches vendor and id, the id, or the family. `*` matches anything. */
export function matchesModel(pattern: string, { vendor, id, family }: NamedModel): boolean {
  const pieces = pattern.toLowerCase().split('*');
  return [nameOf({ vendor, id }), id, family].some((name) => isMadeOf(name.toLowerCase(), pieces));
}

export function nameOf({ vendor, id }: Pick<NamedModel, 'vendor' | 'id'>): string {
  return `${vendor}/${id}`;
}

/** Whether the pieces occur in order, the first at the start and the last at the end. */
function isMadeOf(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
