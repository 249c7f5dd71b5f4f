import type { Consent, EraVerdict } from '../../core/index.ts';

/** Values that SQLite accepts and returns. */
export type Value = string | number | null;
/** In the order of a statement's parameters. JSON text, so that no objects are cloned between threads. */
export type Values = readonly Value[];
/** An undecoded row. It must be decoded before use, because the file is not trusted. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Decoders for messages between the threads and for rows. They throw on invalid input, which is a programming error.
 */
export type Decoder<T> = (value: unknown) => T;

/** The core has the same function, but this thread only imports types from the core to stay small. */
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

export function rowIdOf(row: Row): number {
  return integer(row['place'], 'place');
}

export const texts: Decoder<readonly string[]> = list((item) => text(item, 'id'));

export const rows: Decoder<readonly Row[]> = list(record);

/** Skips rows that cannot be decoded, so that one of them does not hide the others. */
export function readable<T>(found: readonly Row[], decode: (row: Row) => T): readonly T[] {
  const read: T[] = [];
  for (const row of found)
    try {
      read.push(decode(row));
    } catch {
      // Skip an invalid row.
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
