interface Redaction {
  readonly type: 'private_key' | 'api_key' | 'token' | 'email';
  /** Position in the original text. */
  readonly position: readonly [number, number];
}

interface Redacted {
  readonly text: string;
  readonly redactions: readonly Redaction[];
}

const REPLACEMENT = '[REDACTED]';

/** Every repetition is bounded, so that a long answer takes a single pass. */
const SECRETS: readonly (readonly [Redaction['type'], RegExp])[] = [
  [
    'private_key',
    /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?:[A-Za-z0-9+/=\s:,]|-(?!-)){0,4000}(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|$)/,
  ],
  ['api_key', /\bsk-[A-Za-z0-9_-]{8,300}/],
  ['api_key', /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/],
  ['api_key', /\bAIza[A-Za-z0-9_-]{35}/],
  ['token', /\bgh[pousr]_[A-Za-z0-9]{20,300}/],
  ['token', /\bgithub_pat_[A-Za-z0-9_]{20,300}/],
  ['token', /\bxox[abeprs]-[A-Za-z0-9-]{10,300}/],
  ['token', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,1000}\.eyJ[A-Za-z0-9_-]{8,1000}\.[A-Za-z0-9_-]{8,1000}/],
  ['token', /(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{16,4000}=*/],
  ['email', /(?<![\p{L}\p{N}_.+-])[\p{L}\p{N}_.+-]{1,64}@(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}]{2,63}/u],
];

const ANY = new RegExp(SECRETS.map(([, { source }]) => `(${source})`).join('|'), 'gu');

/** Removes secrets and e-mail addresses from a text. */
export function redact(text: string): Redacted {
  const redactions: Redaction[] = [];
  const rest = text.replace(ANY, (found: string, ...groups: unknown[]) => {
    const which = groups.findIndex((group) => group !== undefined);
    const at = groups.find((each) => typeof each === 'number') ?? 0;
    redactions.push({ type: SECRETS[which]?.[0] ?? 'token', position: [at, at + found.length] });
    return REPLACEMENT;
  });
  return { text: rest, redactions };
}
