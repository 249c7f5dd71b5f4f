import type { Consent, EraVerdict } from '../../core/index.ts';

/** What SQLite takes and gives. */
export type Value = string | number | null;
/** Columns in the order of a statement's parameters: written as text before they cross, so that no tree is cloned. */
export type Values = readonly Value[];
/** A row as it came out of the file: whoever made it, it is decoded before it is used. */
export type Row = Readonly<Record<string, unknown>>;

/** Decoders of what crosses the thread or comes out of a row. They throw: what is wrong here is a mistake of ours. */
export type Decoder<T> = (value: unknown) => T;

/** The core has the same, but this thread loads nothing that it does not need: only types of the core come here. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new TypeError('A record was expected.');
  return value;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`"${name}" must be text.`);
  return value;
}

export function integer(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`"${name}" must be an integer.`);
  return value;
}

export function optionalText(value: unknown, name: string): string | undefined {
  return value === null || value === undefined ? undefined : text(value, name);
}

export function optionalInteger(value: unknown, name: string): number | undefined {
  return value === null || value === undefined ? undefined : integer(value, name);
}

export function oneOf<T extends string>(value: unknown, known: readonly T[], name: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new TypeError(`"${name}" must be one of ${known.join(', ')}.`);
  return found;
}

export function values(count: number): Decoder<Values> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== count || !value.every(isValue))
      throw new TypeError(`${count} values were expected.`);
    return value;
  };
}

export function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

export function placeOf(row: Row): number {
  return integer(row['place'], 'place');
}

export const texts: Decoder<readonly string[]> = list((item) => text(item, 'id'));

export const rows: Decoder<readonly Row[]> = list(record);

/** Rows that are none of ours any more are left out: one of them must not hide all others. */
export function readable<T>(found: readonly Row[], decode: (row: Row) => T): readonly T[] {
  const read: T[] = [];
  for (const row of found)
    try {
      read.push(decode(row));
    } catch {
      // Not one of ours.
    }
  return read;
}

export function list<T>(decode: Decoder<T>): Decoder<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError('A list was expected.');
    return value.map((item) => decode(item));
  };
}

export function orNull<T>(decode: Decoder<T>): Decoder<T | null> {
  return (value) => (value === null ? null : decode(value));
}

export function nothing(value: unknown): null {
  if (value !== null) throw new TypeError('Nothing was expected.');
  return null;
}

export const decodeConsent: Decoder<Consent> = (value) => {
  const { server, fingerprint, grants, at } = record(value);
  return {
    server: text(server, 'server'),
    fingerprint: text(fingerprint, 'fingerprint'),
    grants: decodeGrants(grants),
    at: integer(at, 'at'),
  };
};

function decodeGrants(value: unknown): Consent['grants'] {
  const { autoApprove, others } = record(value);
  const tools = list((tool) => text(tool, 'autoApprove'))(autoApprove);
  if (others === undefined) return { autoApprove: tools };
  return { autoApprove: tools, others: list((line) => text(line, 'others'))(others) };
}

export const decodeVerdict: Decoder<EraVerdict> = (value) => {
  const { fingerprint, era, mcpl, at } = record(value);
  if (era !== 'legacy' && era !== 'modern') throw new TypeError('"era" must be legacy or modern.');
  if (typeof mcpl !== 'boolean') throw new TypeError('"mcpl" must be true or false.');
  return { fingerprint: text(fingerprint, 'fingerprint'), era, mcpl, at: integer(at, 'at') };
};
