import { type CancellationToken, NO_CANCELLATION, withEither } from '../base/cancellation.ts';
import { cleanLine, cleanText } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { messageOf, RPC, WireError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import { collectArguments } from '../form/collectArguments.ts';
import { type FormField, flatten } from '../form/fields.ts';
import { initialValues } from '../form/fillForm.ts';
import { schemaForm } from '../form/schemaForm.ts';
import type { Elicitor, FormQuestion, SchemaChecker, UrlQuestion } from '../inputPorts.ts';
import type { Elicitation, FormElicitation, UrlElicitation } from '../model/inputs.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeElicitation } from '../wire/elicitation.ts';
import { type Asked, QuestionQueue } from './questionQueue.ts';
import { mentionsSecret, namesSecret } from '../base/secretNames.ts';
import { isLoopback, isPrivate } from '../base/networkHosts.ts';

interface ElicitationOptions {
  /** The server's id in the settings. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Removes secrets from the text of a question. */
  readonly redact?: Redact | undefined;
  readonly elicitor: Elicitor;
  /** Checks rules that forms do not check, such as patterns, in another thread. */
  readonly checker?: SchemaChecker | undefined;
  /** How long a question is shown before it counts as unanswered. */
  readonly timeoutMs?: number | undefined;
}

const TIMEOUT_MS = 600_000;
/** Maximum open and waiting questions of one server. */
const MAX_QUESTIONS = 8;
/** Maximum times that a form is shown again because of invalid input. */
const MAX_ROUNDS = 20;
const REMARKS = { lines: 10, perMs: 10_000 };

/** MCP "Elicitation": a server asks the user with a form, or with a page that is opened. */
export class ElicitationFeature implements SessionFeature {
  readonly capabilities = { elicitation: { form: {}, url: {} } };
  readonly requests = {
    'elicitation/create': (params: JsonObject, context: InboundContext): Promise<Json> => this.#create(params, context),
  };
  readonly notifications = {
    'notifications/elicitation/complete': ({ elicitationId }: JsonObject): void => {
      if (typeof elicitationId === 'string') this.pages.complete(elicitationId);
    },
  };
  /** Pages that the user may not have finished with. */
  readonly pages = new OpenedPages();
  readonly #options: ElicitationOptions;
  readonly #queue: QuestionQueue;
  readonly #remarks: LogLimiter;
  #session: Session | undefined;

  constructor(options: ElicitationOptions) {
    this.#options = options;
    const { clock, log, timeoutMs = TIMEOUT_MS } = options;
    this.#remarks = new LogLimiter(clock, REMARKS, (line) => log.log('warn', line));
    this.#queue = new QuestionQueue({ clock, timeoutMs, limit: MAX_QUESTIONS });
  }

  started(session: Session): Disposable {
    this.#session = session;
    return toDisposable(() => {
      if (this.#session === session) this.#session = undefined;
      this.pages.clear();
      this.#remarks.dispose();
    });
  }

  /** Asks the user to visit a page. Waits in the queue of this server's questions. */
  async visit(elicitation: UrlElicitation, token: CancellationToken): Promise<Visit> {
    const { server, redact = (text) => text } = this.#options;
    const question = urlQuestion(server, { ...elicitation, message: redact(elicitation.message) });
    if (typeof question === 'string') return { kind: 'refused', why: question };
    const { stopping = NO_CANCELLATION } = this.#session ?? {};
    const asked = await withEither(token, stopping, (either) =>
      this.#queue.ask(either, (shown) => this.#options.elicitor.url(question, shown)),
    );
    return { kind: this.#outcome(asked) ?? 'cancel', question };
  }

  /** Waits while the user is busy with a page. Ends when the token is cancelled. */
  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    return this.#options.elicitor.finish(question, token);
  }

  async #create(params: JsonObject, { token }: InboundContext): Promise<Json> {
    const elicitation = this.#decode(params);
    try {
      return elicitation.kind === 'form' ? await this.#form(elicitation, token) : await this.#page(elicitation, token);
    } catch (error) {
      if (error instanceof WireError) throw error;
      this.#options.log.log('error', `A question of the server could not be shown: ${messageOf(error)}`);
      return { action: 'cancel' };
    }
  }

  #decode(params: JsonObject): Elicitation {
    // Tolerates requests before the handshake has agreed on capabilities.
    const decoded = decodeElicitation(params, this.#session?.codec.traits.elicitation ?? 'form+url');
    if (decoded.kind === 'ok') return decoded.value;
    throw invalid(decoded.kind === 'invalid' ? decoded.why : 'it is not in this revision');
  }

  async #form(elicitation: FormElicitation, token: CancellationToken): Promise<JsonObject> {
    const { server, redact = (text) => text } = this.#options;
    const question = formQuestion(server, { ...elicitation, message: redact(elicitation.message) });
    const asked = await this.#queue.ask(token, (shown) => this.#fillIn(question, elicitation.schema, shown));
    return this.#outcome(asked) ?? { action: 'cancel' };
  }

  /** Shows the form until its input is valid and may be sent to the server. */
  async #fillIn(first: FormQuestion, schema: JsonObject, token: CancellationToken): Promise<JsonObject> {
    let question = first;
    for (let round = 0; round < MAX_ROUNDS && !token.isCancellationRequested; round++) {
      const answer = await this.#options.elicitor.form(question, token);
      if (answer.kind !== 'accept') return { action: answer.kind };
      const collected = collectArguments(question.form, answer.values);
      const errors = collected.kind === 'invalid' ? collected.errors : {};
      const problems = collected.kind === 'invalid' ? [] : await this.#problems(schema, collected.args, token);
      if (collected.kind === 'arguments' && problems.length === 0) return { action: 'accept', content: collected.args };
      question = { ...first, values: answer.values, errors, remarks: [...first.remarks, ...problems] };
    }
    return { action: 'cancel' };
  }

  async #problems(schema: JsonObject, content: JsonObject, token: CancellationToken): Promise<readonly string[]> {
    const verdict = await this.#options.checker?.check(schema, content, token);
    return verdict?.kind === 'mismatch'
      ? verdict.problems.map((problem) => `The server wants something else: ${problem}`)
      : [];
  }

  async #page(elicitation: UrlElicitation, token: CancellationToken): Promise<JsonObject> {
    const visit = await this.visit(elicitation, token);
    if (visit.kind === 'refused') throw invalid(visit.why);
    if (visit.kind === 'accept') this.#expectEnd(visit.question);
    return { action: visit.kind };
  }

  #expectEnd(question: UrlQuestion): void {
    if (question.elicitationId === undefined || this.#session === undefined) return;
    this.pages.expect(question.elicitationId, () => this.#options.elicitor.finished(question));
  }

  #outcome<T>(asked: Asked<T>): T | undefined {
    const { server, log } = this.#options;
    if (asked.kind === 'answered') return asked.value;
    if (asked.kind === 'full')
      this.#remarks.line(`A question of "${server}" was not shown: ${MAX_QUESTIONS} are open.`);
    if (asked.kind === 'late') log.log('info', `A question of "${server}" was left unanswered for too long.`);
    return undefined;
  }
}

type Visit =
  | { readonly kind: 'accept' | 'decline' | 'cancel'; readonly question: UrlQuestion }
  | { readonly kind: 'refused'; readonly why: string };

function invalid(why: string): WireError {
  return new WireError(RPC.invalidParams, `Invalid elicitation: ${why}`);
}

function formQuestion(server: string, { message, schema }: FormElicitation): FormQuestion {
  const form = schemaForm(schema);
  const suspects = suspectsOf(flatten(form.fields), message);
  const names = suspects.map(({ label }) => `"${label}"`).join(', ');
  return {
    server,
    message: cleanText(message),
    form,
    schema,
    values: initialValues(form),
    errors: {},
    sensitive: suspects.map(({ id }) => id),
    remarks:
      suspects.length === 0
        ? []
        : [`This looks as if a secret was wanted: ${cleanLine(names, 200)}. Servers must not ask for one in a form.`],
  };
}

/** Fields that ask for a secret. If only the message asks for one, it may mean any field. */
function suspectsOf(fields: readonly FormField[], message: string): readonly FormField[] {
  const open = fields.filter(takesSecret);
  const suspects = open.filter(looksSecret);
  return suspects.length === 0 && mentionsSecret(message) ? open : suspects;
}

function takesSecret(field: FormField): boolean {
  return field.kind !== 'boolean' && field.kind !== 'choice' && field.kind !== 'group';
}

function looksSecret(field: FormField): boolean {
  if (field.kind === 'text' && field.format === 'password') return true;
  return [field.name, field.label].some(namesSecret) || mentionsSecret(field.description);
}

/** A user cannot check a longer one, and the end of a URL may hide a trap. */
const MAX_URL = 4_000;
const MAX_HOST = 253;

/** The facts to show before the page is opened, or the reason why it must not be opened. */
function urlQuestion(server: string, elicitation: UrlElicitation): UrlQuestion | string {
  const parsed = parse(elicitation.url);
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    return 'it is not the address of a web page, which begins with http: or https:';
  if (parsed.href.length > MAX_URL) return `its address has ${parsed.href.length} characters`;
  const authority = authorityOf(elicitation.url);
  const written = cleanLine(hostOf(authority), MAX_HOST);
  const isOther = written.toLowerCase() !== parsed.hostname;
  const remarks = [
    ...(isOther ? [`Its host is written "${written}" and is really "${parsed.hostname}".`] : []),
    ...(isEncoded(parsed.hostname)
      ? ['Letters of other alphabets in its host can look like those of another one.']
      : []),
    ...(authority.includes('@') ? ['It names a user before its host, which is a common disguise of addresses.'] : []),
    ...hostRemarks(parsed.hostname),
    ...(parsed.protocol === 'http:' && !isLoopback(parsed.hostname)
      ? ['It is not encrypted: others can read along.']
      : []),
  ];
  return {
    server,
    message: cleanText(elicitation.message),
    url: parsed.href,
    host: parsed.host,
    writtenHost: isOther ? written : undefined,
    elicitationId: elicitation.elicitationId,
    remarks,
  };
}

function parse(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** Read from the text, because parsing removes the deceptive parts. */
function authorityOf(url: string): string {
  return /^\s*[a-z]+:[\\/]*([^\\/?#]*)/i.exec(url)?.[1] ?? '';
}

function hostOf(authority: string): string {
  return authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
}

function isEncoded(host: string): boolean {
  return host.split('.').some((label) => label.startsWith('xn--'));
}

/** A page on this machine or network can use services that others cannot reach. */
function hostRemarks(host: string): readonly string[] {
  if (isLoopback(host)) return ['It is on this machine: a program here answers, not a website.'];
  return isPrivate(host) ? ['It is in a private network, not on the internet.'] : [];
}

/** The oldest are forgotten, because servers need not report the end of a page. */
const MAX_PAGES = 50;

/** Opened pages. A server may report that the user has finished with one. */
class OpenedPages {
  readonly #waiting = new Map<string, () => void>();

  /** Calls back once when the server reports it. A repeated request for a page replaces the earlier one. */
  expect(elicitationId: string, done: () => void): void {
    this.#waiting.delete(elicitationId);
    this.#waiting.set(elicitationId, done);
    const [oldest] = this.#waiting.keys();
    if (oldest !== undefined && this.#waiting.size > MAX_PAGES) this.#waiting.delete(oldest);
  }

  /** The same, until it is disposed. */
  follow(elicitationId: string, done: () => void): Disposable {
    this.expect(elicitationId, done);
    return toDisposable(() => {
      if (this.#waiting.get(elicitationId) === done) this.#waiting.delete(elicitationId);
    });
  }

  /** MCP 2025-11-25: unknown or already completed ids are ignored. */
  complete(elicitationId: string): void {
    const done = this.#waiting.get(elicitationId);
    this.#waiting.delete(elicitationId);
    done?.();
  }

  clear(): void {
    this.#waiting.clear();
  }
}
