import type { FormField } from '../../core/index.ts';

type TextFormat = NonNullable<Extract<FormField, { kind: 'text' }>['format']>;

/** Formats of form fields (MCP "Elicitation", string schemas; JSON Schema "format"). */
const FORMATS: { readonly [F in TextFormat]: { readonly isOne: (text: string) => boolean; readonly what: string } } = {
  email: { isOne: (text) => /^[^\s@]+@[^\s@]+$/.test(text), what: 'an e-mail address: name@example.com' },
  uri: { isOne: (text) => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text) && URL.canParse(text), what: 'an address: https://…' },
  date: { isOne: isDate, what: 'a date: 2026-03-31' },
  time: { isOne: isTime, what: 'a time: 13:45:00Z' },
  'date-time': { isOne: isDateTime, what: 'a date and time: 2026-03-31T13:45:00Z' },
  uuid: {
    isOne: (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
    what: 'a UUID: 123e4567-e89b-12d3-a456-426614174000',
  },
  password: { isOne: () => true, what: '' },
};

/** Why a text does not match its format. Undefined for an empty text. */
export function formatProblem(format: TextFormat | undefined, text: string): string | undefined {
  if (format === undefined || text === '') return undefined;
  const { isOne, what } = FORMATS[format];
  return isOne(text) ? undefined : `Enter ${what}.`;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? [];
  if (day === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  // Rejects April 31, which would become May 1.
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339, with an offset and leap seconds. */
function isTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i.test(text);
}

function isDateTime(text: string): boolean {
  const at = text.search(/[tT ]/);
  return at > 0 && isDate(text.slice(0, at)) && isTime(text.slice(at + 1));
}
