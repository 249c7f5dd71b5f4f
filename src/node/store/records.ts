import type { Consent, EraVerdict } from '../../core/index.ts';

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
    grants: { autoApprove: list((tool) => text(tool, 'autoApprove'))(record(grants)['autoApprove']) },
    at: integer(at, 'at'),
  };
};

export const decodeVerdict: Decoder<EraVerdict> = (value) => {
  const { fingerprint, era, mcpl, at } = record(value);
  if (era !== 'legacy' && era !== 'modern') throw new TypeError('"era" must be legacy or modern.');
  if (typeof mcpl !== 'boolean') throw new TypeError('"mcpl" must be true or false.');
  return { fingerprint: text(fingerprint, 'fingerprint'), era, mcpl, at: integer(at, 'at') };
};
