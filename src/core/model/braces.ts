const RANGE = /^(?:(-?\d+)\.\.(-?\d+)|([a-z])\.\.([a-z]))(?:\.\.(-?\d+))?$/i;
const RANGES = /\{([^{},]*)\}/g;

/** An open brace and its content so far. */
interface Group {
  readonly start: number;
  /** Alternatives before the last comma. */
  before: number;
  /** Alternatives since the last comma. */
  since: number;
  hasComma: boolean;
  hasInnerComma: boolean;
  isNested: boolean;
}

/**
 * An upper bound for the number of texts that brace expansion produces. As in shells, `{a,b}` gives two, `{1..9..2}`
 * gives five, nested braces add up, and adjacent ones multiply. For unusual braces the bound may be infinite.
 */
export function alternativesOf(pattern: string): number {
  const open: Group[] = [];
  let group = groupAt(-1);
  for (let index = 0; index < pattern.length; index++) {
    const sign = pattern[index];
    if (sign === '{') {
      open.push(group);
      group = groupAt(index);
    } else if (sign === ',' && open.length > 0) {
      group.before += group.since;
      group.since = 1;
      group.hasComma = true;
    } else if (sign === '}') {
      const outer = open.pop();
      if (outer === undefined) return boundOf(pattern);
      outer.since *= alternativesIn(group, pattern.slice(group.start + 1, index));
      outer.isNested = true;
      outer.hasInnerComma ||= group.hasComma || group.hasInnerComma;
      group = outer;
    }
  }
  return open.length > 0 ? boundOf(pattern) : group.since;
}

function groupAt(start: number): Group {
  return { start, before: 0, since: 1, hasComma: false, hasInnerComma: false, isNested: false };
}

function alternativesIn({ before, since, hasComma, hasInnerComma, isNested }: Group, text: string): number {
  if (hasComma) return before + since;
  if (!isNested) return lengthOfRange(text);
  // `{{1,2}..9}` expands to `{1..9}` and `{2..9}`, which expand again.
  return hasInnerComma && text.includes('.') ? Infinity : since;
}

/** Commas of unmatched braces are ambiguous: they count for the braces that give the most alternatives. */
function boundOf(pattern: string): number {
  const commas = pattern.split(',').length - 1;
  const braces = Math.min(pattern.split('{').length, pattern.split('}').length) - 1;
  if (braces > 1 && commas > 0 && pattern.includes('.')) return Infinity;
  const ranges = [...pattern.matchAll(RANGES)].reduce((product, [, text = '']) => product * lengthOfRange(text), 1);
  if (braces === 0) return ranges;
  const least = Math.floor(commas / braces);
  const more = commas % braces;
  return ranges * (least + 2) ** more * (least + 1) ** (braces - more);
}

function lengthOfRange(text: string): number {
  const [, low, high, first, last, step = '1'] = RANGE.exec(text) ?? [];
  const from = low === undefined ? first?.charCodeAt(0) : Number(low);
  const to = high === undefined ? last?.charCodeAt(0) : Number(high);
  if (from === undefined || to === undefined) return 1;
  // Beyond safe integers, counting may never end.
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) return Infinity;
  return Math.floor(Math.abs(to - from) / Math.max(Math.abs(Number(step)), 1)) + 1;
}
