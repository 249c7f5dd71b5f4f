/** Up to so many texts the runtime's own search is the fastest. */
const FEW = 2;
/** Of a long text only the beginning is looked for first. */
const LONGEST_WINDOW = 255;
const TABLE = 4_096;

/**
 * Whether a text contains any of some others, each of at least two characters. Most secrets share no pair of characters
 * with most text, so the search (Wu and Manber) looks at every eighth character or fewer: 10 MB take a few milliseconds.
 */
export function textFinder(wanted: readonly string[]): (text: string) => boolean {
  const texts = [...new Set(wanted)];
  if (texts.length <= FEW) return (text) => texts.some((each) => text.includes(each));
  const window = Math.min(LONGEST_WINDOW, ...texts.map(({ length }) => length));
  const last = window - 1;
  const shifts = new Uint8Array(TABLE).fill(last);
  const endingIn = new Map<number, string[]>();
  for (const text of texts) {
    for (let at = 1; at < window; at++) {
      const pair = pairAt(text, at);
      shifts[pair] = Math.min(shifts[pair] ?? 0, last - at);
    }
    const end = pairAt(text, last);
    endingIn.set(end, [...(endingIn.get(end) ?? []), text]);
  }
  return (text) => {
    let at = last;
    while (at < text.length) {
      const pair = pairAt(text, at);
      const shift = shifts[pair] ?? 1;
      if (shift > 0) {
        at += shift;
        continue;
      }
      const start = at - last;
      if (endingIn.get(pair)?.some((each) => text.startsWith(each, start)) === true) return true;
      at++;
    }
    return false;
  };
}

function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at - 1) << 5) ^ text.charCodeAt(at)) & (TABLE - 1);
}
