/** Bytes kept from the start and the end of a message that is too large, to find its id. */
export const SNIFFED_HEAD = 4 * 1024;
export const SNIFFED_TAIL = 256;

interface SniffedEnvelope {
  readonly id: number | string | undefined;
  readonly isRequest: boolean;
}

const LAST_MEMBER_ID = /[{,]\s*"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,128}")\s*\}\s*$/;
const LAST_MEMBERS_VERSION_ID =
  /[{,]\s*"id"\s*:\s*(-?\d{1,15}|"(?:[^"\\]|\\.){0,128}")\s*,\s*"jsonrpc"\s*:\s*"2\.0"\s*\}\s*$/;
const MEMBER = /\s*"((?:[^"\\]|\\.){0,128})"\s*:\s*(-?\d{1,15}(?=\s*[,}])|"(?:[^"\\]|\\.){0,128}")?/y;

/**
 * Reads id and kind of a message from its start and perhaps its end. The end matters because many servers write
 * `result` first and `id` last.
 */
export function sniffEnvelope(head: string, tail: string): SniffedEnvelope {
  let id: number | string | undefined;
  let isRequest = false;
  for (const [name, value] of outerMembers(head)) {
    if (name === 'method') isRequest = true;
    if (name === 'id' && value !== undefined) id = idOf(value);
  }
  if (id === undefined) {
    const found = LAST_MEMBER_ID.exec(tail) ?? LAST_MEMBERS_VERSION_ID.exec(tail);
    if (found?.[1] !== undefined) id = idOf(found[1]);
  }
  return { id, isRequest };
}

/** Outermost members at the start of an object, up to the first value that is not plain. */
function* outerMembers(head: string): Generator<readonly [name: string, value: string | undefined]> {
  let at = head.indexOf('{') + 1;
  while (at > 0) {
    MEMBER.lastIndex = at;
    const found = MEMBER.exec(head);
    if (found?.[1] === undefined) return;
    yield [found[1], found[2]];
    if (found[2] === undefined) return;
    const comma = /^\s*,/.exec(head.slice(MEMBER.lastIndex, MEMBER.lastIndex + 16));
    if (comma === null) return;
    at = MEMBER.lastIndex + comma[0].length;
  }
}

function idOf(text: string): number | string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'number' || typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}
