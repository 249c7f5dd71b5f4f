import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { messageOf, RPC, WireError } from '../base/errors.ts';
import { showHidden } from '../base/hiddenText.ts';
import type { Json, JsonObject } from '../base/json.ts';
import { mapObject } from '../base/jsonTexts.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { Sampler, SamplingOutcome, SamplingQuestion } from '../inputPorts.ts';
import type { SamplingContent, SamplingRequest } from '../model/inputs.ts';
import { LogLimiter } from '../rpc/logLimiter.ts';
import type { InboundContext } from '../rpc/peer.ts';
import type { Session, SessionFeature } from '../session/session.ts';
import { decodeSamplingRequest, encodeSamplingResult, type SamplingRules } from '../wire/sampling.ts';
import { type Asked, QuestionQueue } from './questionQueue.ts';
import { RateLimit } from '../base/rateLimit.ts';
import { plural } from '../base/plural.ts';

interface SamplingOptions {
  /** The server's id in the settings. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Removes secrets from model input. */
  readonly redact?: Redact | undefined;
  readonly sampler: Sampler;
  /** The facts of the server at the time of the question. */
  readonly facts?: (() => Pick<SamplingQuestion, 'fingerprint' | 'model'>) | undefined;
  readonly perMinute?: number | undefined;
  /** Timeout of one request, for the user's review and the model's answer together. */
  readonly timeoutMs?: number | undefined;
}

const PER_MINUTE = 20;
const MINUTE_MS = 60_000;
const TIMEOUT_MS = 600_000;
const MAX_QUESTIONS = 8;
const REMARKS = { lines: 10, perMs: 10_000 };
/** MCP "Sampling": error code for a rejection by the user. */
const REJECTED = -1;

/** MCP "Sampling": runs a server's prompt on one of the user's models, if the user agrees. */
export class SamplingFeature implements SessionFeature {
  readonly requests = {
    'sampling/createMessage': (params: JsonObject, context: InboundContext): Promise<Json> =>
      this.#create(params, context),
  };
  readonly #options: SamplingOptions;
  readonly #queue: QuestionQueue;
  readonly #rate: RateLimit;
  readonly #remarks: LogLimiter;
  #session: Session | undefined;

  constructor(options: SamplingOptions) {
    this.#options = options;
    const { clock, log, timeoutMs = TIMEOUT_MS, perMinute = PER_MINUTE } = options;
    this.#queue = new QuestionQueue({ clock, timeoutMs, limit: MAX_QUESTIONS });
    this.#rate = new RateLimit(perMinute, MINUTE_MS);
    this.#remarks = new LogLimiter(clock, REMARKS, (line) => log.log('warn', line));
  }

  get capabilities(): JsonObject {
    if (this.#options.sampler.isOffered === false) return {};
    return { sampling: this.#options.sampler.canUseTools ? { tools: {} } : {} };
  }

  started(session: Session): Disposable {
    this.#session = session;
    return toDisposable(() => {
      if (this.#session === session) this.#session = undefined;
      this.#remarks.dispose();
    });
  }

  async #create(params: JsonObject, { token }: InboundContext): Promise<Json> {
    const { server, sampler, clock, log } = this.#options;
    const request = this.#decode(params);
    if (this.#rate.take(clock.now()) > 0) {
      this.#remarks.line('A sampling request was refused: there were too many within a minute.');
      throw refused('Too many sampling requests within a minute. Try again later.');
    }
    const question = { server, ...this.#options.facts?.(), request, remarks: remarksOn(request) };
    let asked: Asked<SamplingOutcome>;
    try {
      asked = await this.#queue.ask(token, (shown) => sampler.sample(question, shown));
    } catch (error) {
      log.log('error', `A sampling request failed: ${messageOf(error)}`);
      throw refused('The request could not be handed to a model.');
    }
    return this.#answer(asked);
  }

  #decode(params: JsonObject): SamplingRequest {
    const rules = rulesFor(this.#session, this.#options.sampler);
    const { redact = asItIs } = this.#options;
    // The user reviews the text that the model gets.
    const shown = mapObject(params, (text) => showHidden(redact(text)));
    const decoded = decodeSamplingRequest(shown, rules);
    if (decoded.kind === 'notInRevision') throw invalid('it is not in this revision');
    if (decoded.kind === 'invalid') throw invalid(decoded.why);
    const problem = problemOf(decoded.value, rules);
    if (problem !== undefined) throw invalid(problem);
    return decoded.value;
  }

  #answer(asked: Asked<SamplingOutcome>): Json {
    switch (asked.kind) {
      case 'full':
        throw refused('Too many sampling requests wait for an answer.');
      case 'late':
        throw refused('The sampling request was not answered in time.');
      case 'cancelled':
        throw refused('The sampling request was cancelled.');
      case 'answered':
        break;
    }
    const outcome = asked.value;
    switch (outcome.kind) {
      case 'declined':
        throw new WireError(REJECTED, 'User rejected sampling request');
      case 'unavailable':
        throw refused(`No model is available: ${cleanLine(outcome.reason, 500)}`);
      case 'answered':
        return encodeSamplingResult(outcome.result, { lists: revisionHasTools(this.#session) });
    }
  }
}

function asItIs(text: string): string {
  return text;
}

function invalid(why: string): WireError {
  return new WireError(RPC.invalidParams, `Invalid sampling request: ${why}`);
}

function refused(why: string): WireError {
  return new WireError(RPC.internalError, why);
}

function revisionHasTools(session: Session | undefined): boolean {
  return session?.codec.traits.samplingTools ?? true;
}

function rulesFor(session: Session | undefined, { canUseTools }: Sampler): SamplingRules {
  if (!revisionHasTools(session)) return { tools: 'unknown' };
  return { tools: canUseTools ? 'declared' : 'refused' };
}

function problemOf({ messages }: SamplingRequest, { tools }: SamplingRules): string | undefined {
  if (messages.length === 0) return 'it has no messages';
  const pieces = messages.flatMap(({ content }) => content);
  if (pieces.some(({ type }) => type === 'unknown')) return 'it has content of a kind that this host does not know';
  const hasTools = pieces.some(({ type }) => type === 'tool_use' || type === 'tool_result');
  return hasTools && tools !== 'declared'
    ? 'it holds uses of tools, and this host did not declare "sampling.tools"'
    : undefined;
}

function remarksOn({ messages, tools, includeContext }: SamplingRequest): readonly string[] {
  const pieces = messages.flatMap(({ content }) => content);
  const media = pieces.filter(isMedia).length;
  return [
    ...(media > 0 ? [`It holds ${plural(media, 'picture or sound', 'pictures or sounds')}.`] : []),
    ...(tools.length > 0 ? [`It offers the model ${plural(tools.length, 'tool')} that the server runs.`] : []),
    ...(includeContext === 'none' ? [] : ['It asks for what was said in other chats; that is not given.']),
  ];
}

function isMedia({ type }: SamplingContent): boolean {
  return type === 'image' || type === 'audio';
}
