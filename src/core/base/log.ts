export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** One sink of log lines. Messages are plain text; whoever writes one redacts what must not be seen. */
export interface Logger {
  log(level: LogLevel, message: string): void;
}

export const NO_LOG: Logger = { log: () => undefined };

/** What stands in place of a secret. */
export const HIDDEN = '‹secret›';

/** Shorter values would hide half of all text. */
const SHORTEST_SECRET = 4;
/** A line of a key is long; one of a credential in JSON may be a bracket or a common word. */
const SHORTEST_LINE = 12;

/** Takes all of `secrets` out of a text, also in the forms they have in JSON, in a URL or line by line. */
export function redactor(secrets: Iterable<string>): (text: string) => string {
  const forms = new Set([...secrets].flatMap(writtenForms).filter((form) => form.length >= SHORTEST_SECRET));
  if (forms.size === 0) return unchanged;
  // The longest first, in one pass: a secret that contains another is hidden whole.
  const alternatives = [...forms].sort((a, b) => b.length - a.length).map(escapeForPattern);
  const pattern = new RegExp(alternatives.join('|'), 'g');
  return (text) => text.replace(pattern, HIDDEN);
}

/** A logger through which none of `secrets` passes. */
export function redacting(logger: Logger, secrets: Iterable<string>): Logger {
  const redact = redactor(secrets);
  return redact === unchanged ? logger : cleaning(logger, redact);
}

/** A logger all of whose lines pass through `clean`. */
export function cleaning(logger: Logger, clean: (text: string) => string): Logger {
  return { log: (level, message) => logger.log(level, clean(message)) };
}

function unchanged(text: string): string {
  return text;
}

function writtenForms(secret: string): readonly string[] {
  const inUrl = encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '\uFFFD'));
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [secret, JSON.stringify(secret).slice(1, -1), inUrl, ...lines.filter((line) => line.length >= SHORTEST_LINE)];
}

function escapeForPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
