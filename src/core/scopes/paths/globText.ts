/** For texts that are globs, as in `includePatterns`: such a text is denied if it is aimed at a denied name. */
const MAGIC = /[*?[]/;
const MAX_CANDIDATES = 64;

/**
 * The paths that a glob is aimed at, given the names in deny patterns: `s?crets/*` is aimed at `secrets`. A segment
 * that matches everything is aimed at nothing.
 */
export function candidatesOf(path: string, names: ReadonlySet<string>): readonly string[] {
  if (!MAGIC.test(path) || names.size === 0) return [];
  let found: readonly string[] = [''];
  let isChanged = path.includes('**');
  for (const [index, part] of path.split('/').entries()) {
    const fitting = part === '**' ? [] : namesLike(part, names);
    isChanged ||= fitting.length > 0;
    const ways = [...(part === '**' ? [undefined, part] : [part]), ...fitting];
    found = found
      .flatMap((start) => ways.map((way) => (way === undefined ? start : index === 0 ? way : `${start}/${way}`)))
      .slice(0, MAX_CANDIDATES);
  }
  return isChanged ? found.filter((other) => other !== path && other !== '') : [];
}

function namesLike(part: string, names: ReadonlySet<string>): readonly string[] {
  // Skips wildcards such as `.*` and `[a-z]*`, which aim at no specific name.
  if (!MAGIC.test(part) || !/[\p{L}\d]/u.test(part.replace(/\[[^\]]{2,}\]/g, ''))) return [];
  const found: string[] = [];
  for (const name of names) if (fits(part.toLowerCase(), name)) found.push(name);
  return found;
}

/** Greedy: retrying only the last `*` is enough. */
function fits(glob: string, name: string): boolean {
  const signs = signsOf(glob);
  let [at, in_, star, mark] = [0, 0, -1, 0];
  while (in_ < name.length) {
    const sign = signs[at];
    if (sign === '*') {
      star = at++;
      mark = in_;
    } else if (sign !== undefined && isSign(sign, name.charAt(in_))) {
      at++;
      in_++;
    } else if (star >= 0) {
      at = star + 1;
      in_ = ++mark;
    } else return false;
  }
  while (signs[at] === '*') at++;
  return at === signs.length;
}

function signsOf(glob: string): readonly string[] {
  return glob.match(/\[[!^]?\]?[^\]]*\]|[^]/g) ?? [];
}

function isSign(sign: string, letter: string): boolean {
  if (sign === '?') return true;
  if (!sign.startsWith('[') || sign.length < 3) return sign === letter;
  const isNot = /^\[[!^]/.test(sign);
  const letters = sign.slice(isNot ? 2 : 1, -1);
  let isIn = false;
  for (let index = 0; index < letters.length; index++) {
    const [from = '', dash, to = ''] = [letters[index], letters[index + 1], letters[index + 2]];
    if (dash === '-' && to !== '') {
      isIn ||= letter >= from && letter <= to;
      index += 2;
    } else isIn ||= from === letter;
  }
  return isIn !== isNot;
}

/** Literal names in patterns. */
export function plainNamesOf(globs: readonly string[]): ReadonlySet<string> {
  const parts = globs.flatMap((glob) => glob.split('/'));
  return new Set(parts.filter((part) => part.length > 1 && !/[*?[\]\\]/.test(part)).map((part) => part.toLowerCase()));
}
