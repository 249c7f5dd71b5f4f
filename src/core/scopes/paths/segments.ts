/**
 * Stands between `//` and what follows: `//server/share` is no folder `/server`, and matchers take several slashes for
 * one. No text that is matched has this character otherwise.
 */
const HOST = '\u0001';
const HOST_SLASHES = /^([^/]*:)?\/\/(?=[^/])/;

/** With what makes `//server` and `scheme://` differ from one slash. */
export function withHost(text: string): string {
  return text.includes('//') ? text.replace(HOST_SLASHES, `$1/${HOST}/`) : text;
}

/** With one slash wherever there are several: as a careless reader would have it. */
export function withoutHost(text: string): string {
  const bare = text.includes(HOST) ? text.replaceAll(`/${HOST}/`, '/') : text;
  return bare.includes('//') ? bare.replace(/\/{2,}/g, '/') : bare;
}

/** Whether nothing can be above: of a path its root, drive or share. */
function isRoot(segments: readonly string[]): boolean {
  const [first = '', second] = segments;
  if (segments.length === 1) return first === '' || /^[a-z]:$/i.test(first);
  return second === HOST && segments.length <= (first === '' ? 4 : 3);
}

/** Without `.`, `..` and empty segments; `undefined` where `..` follows `**`, which no text can say. */
export function withoutDetours(text: string): string | undefined {
  const [first = '', ...rest] = text.split('/');
  const kept: string[] = first === '.' ? [] : [first];
  for (const segment of rest) {
    if (segment === '' || segment === '.') continue;
    const last = kept.at(-1);
    if (segment !== '..' || last === undefined || last === '..') kept.push(segment);
    else if (last === '**') return undefined;
    else if (!isRoot(kept)) kept.pop();
  }
  return kept.length === 1 && kept[0] === '' ? '/' : kept.join('/');
}
