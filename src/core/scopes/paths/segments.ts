/**
 * Marks a host after `//`: `//server/share` is not the folder `/server`, but matchers collapse slashes. No matched text
 * contains this character.
 */
const HOST = '\u0001';
const HOST_SLASHES = /^([^/]*:)?\/\/(?=[^/])/;

/** Adds the marker that distinguishes `//server` and `scheme://` from a single slash. */
export function withHost(text: string): string {
  return text.includes('//') ? text.replace(HOST_SLASHES, `$1/${HOST}/`) : text;
}

/** Removes the marker and collapses slashes, as careless programs do. */
export function withoutHost(text: string): string {
  const bare = text.includes(HOST) ? text.replaceAll(`/${HOST}/`, '/') : text;
  return bare.includes('//') ? bare.replace(/\/{2,}/g, '/') : bare;
}

/** Whether this is a root: for paths, a drive or share counts too. */
function isRoot(segments: readonly string[]): boolean {
  const [first = '', second] = segments;
  if (segments.length === 1) return first === '' || /^[a-z]:$/i.test(first);
  return second === HOST && segments.length <= (first === '' ? 4 : 3);
}

/** Without `.`, `..` and empty segments. `undefined` if `..` follows `**`, which no text can match. */
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
