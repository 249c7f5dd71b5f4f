import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import type { Disposable } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject, MAX_DEPTH } from '../base/json.ts';
import { Throttle } from '../base/throttle.ts';
import { type AuditFacts, type AuditOutcome, type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ResultView } from '../model/content.ts';
import type { Route, ToolCallRequest } from '../model/operation.ts';
import type { ServerSnapshot } from '../model/server.ts';
import type { Ids, Logs } from '../ports.ts';
import { toolNamed } from './callSteps.ts';

/** Maximum characters to hash, which takes a fraction of a millisecond. */
const MAX_CHARACTERS = 32_768;
/** Sorting more member names would take longer than the rest. */
const MAX_MEMBERS = 4_096;
const DIGEST_LENGTH = 16;

/** The start of the SHA-256 of the arguments as canonical JSON. For large arguments, covers only their start. */
export function argumentDigest(args: JsonObject, ids: Pick<Ids, 'sha256'>): string {
  const writer = new CanonicalStart();
  writer.write(args);
  const digest = ids.sha256(writer.text).slice(0, DIGEST_LENGTH);
  return writer.isWhole ? digest : `${digest} (of their beginning)`;
}

/** Canonical JSON up to a length and depth, so that the work is bounded. */
class CanonicalStart {
  #text = '';
  #isWhole = true;
  #depth = 0;

  get text(): string {
    return this.#text;
  }

  get isWhole(): boolean {
    return this.#isWhole;
  }

  write(value: Json | undefined): void {
    if (!this.#hasRoom) return;
    if (isJsonArray(value) || isJsonObject(value)) this.#writeWithin(value);
    else if (typeof value === 'string') this.#writeText(value);
    else this.#text += JSON.stringify(value ?? null);
  }

  get #hasRoom(): boolean {
    if (this.#text.length >= MAX_CHARACTERS) this.#isWhole = false;
    return this.#isWhole;
  }

  #writeWithin(value: JsonObject | readonly Json[]): void {
    if (this.#depth === MAX_DEPTH) {
      this.#isWhole = false;
      return;
    }
    this.#depth++;
    if (isJsonArray(value)) this.#writeArray(value);
    else this.#writeObject(value);
    this.#depth--;
  }

  #writeText(value: string): void {
    if (value.length > MAX_CHARACTERS) this.#isWhole = false;
    this.#text += JSON.stringify(value.slice(0, MAX_CHARACTERS));
  }

  #writeArray(items: readonly Json[]): void {
    this.#text += '[';
    for (const [index, item] of items.entries()) {
      if (!this.#hasRoom) return;
      if (index > 0) this.#text += ',';
      this.write(item);
    }
    this.#text += ']';
  }

  #writeObject(object: JsonObject): void {
    this.#text += '{';
    for (const [index, key] of this.#keysOf(object).entries()) {
      if (!this.#hasRoom) return;
      if (index > 0) this.#text += ',';
      this.#writeText(key);
      this.#text += ':';
      this.write(object[key]);
    }
    this.#text += '}';
  }

  #keysOf(object: JsonObject): readonly string[] {
    const keys: string[] = [];
    for (const key in object) {
      if (!Object.hasOwn(object, key) || object[key] === undefined) continue;
      if (keys.length === MAX_MEMBERS) {
        this.#isWhole = false;
        return [];
      }
      keys.push(key);
    }
    return keys.sort();
  }
}

interface CallAuditOptions {
  readonly clock: Clock;
  readonly ids: Pick<Ids, 'sha256'>;
  readonly logs: Logs;
  /** Calls `make` when the record is written. */
  readonly audit: { recordLater(make: () => AuditRecord): void };
  find(server: string): AuditedServer | undefined;
}

interface AuditedServer {
  readonly snapshot: ServerSnapshot;
  redact(text: string): string;
}

/** Calls per server and minute with separate records and log lines. */
const MAX_PER_MINUTE = 1_000;
const MINUTE = 60_000;
/** Interval of summaries: one record for calls that differ only in their arguments. */
const SUMMARY_MS = 5_000;
const MAX_SUMMARIES = 100;
const MAX_NAME = 200;
const MAX_MESSAGE = 1_000;

/** The calls of one server within a minute. */
interface Minute {
  readonly since: number;
  count: number;
}

/** Calls of one tool with the same outcome. */
interface Summary {
  /** Empty for an unknown server. `tool` is empty for an unknown tool. */
  readonly server: string;
  readonly tool: string;
  readonly route: Route;
  readonly outcome: AuditOutcome;
  count: number;
  totalMs: number;
  longestMs: number;
}

/** Records and logs every tool call of every route. Summarizes floods. */
export class CallAudit implements Disposable {
  readonly #options: CallAuditOptions;
  readonly #minutes = new Map<string, Minute>();
  readonly #summaries = new Map<string, Summary>();
  /** The last summary, because a flood is usually of one tool. Saves building a key per call. */
  #latest: Summary | undefined;
  readonly #flushing: Throttle;
  #isDisposed = false;

  constructor(options: CallAuditOptions) {
    this.#options = options;
    this.#flushing = new Throttle(options.clock, SUMMARY_MS, () => this.flush());
  }

  /** The server answered, possibly with a tool error. */
  answered(request: ToolCallRequest, began: number, { isError }: ResultView): void {
    this.#ended(request, began, isError ? 'failure' : 'success');
  }

  failed(request: ToolCallRequest, began: number, error: HostError): void {
    this.#ended(request, began, outcomeOf(error), error);
  }

  /** Writes the summaries so far. */
  flush(): void {
    this.#flushing.cancel();
    const summaries = [...this.#summaries.values()];
    this.#summaries.clear();
    this.#latest = undefined;
    for (const summary of summaries) this.#recordSummary(summary);
  }

  dispose(): void {
    this.flush();
    this.#isDisposed = true;
  }

  #ended(request: ToolCallRequest, began: number, outcome: AuditOutcome, error?: HostError): void {
    if (this.#isDisposed) return;
    const at = this.#options.clock.now();
    const server = this.#options.find(request.server);
    // Callers can invent any number of names.
    const minute = this.#minute(server === undefined ? '' : request.server, at);
    if (++minute.count > MAX_PER_MINUTE) this.#sumUp(request, server, outcome, at - began);
    else this.#record(request, server, { at, durationMs: at - began, outcome, error });
  }

  #minute(server: string, now: number): Minute {
    const known = this.#minutes.get(server);
    if (known !== undefined && now >= known.since && now - known.since < MINUTE) return known;
    const minute = { since: now, count: 0 };
    this.#minutes.set(server, minute);
    return minute;
  }

  #record(
    request: ToolCallRequest,
    server: AuditedServer | undefined,
    { error, ...end }: Pick<AuditRecord, 'at' | 'durationMs' | 'outcome'> & { readonly error: HostError | undefined },
  ): void {
    const { ids, logs } = this.#options;
    const redact = (text: string): string => server?.redact(text) ?? text;
    const tool = cleanLine(redact(request.tool), MAX_NAME);
    const why = error === undefined ? '' : `: ${cleanLine(redact(error.message), MAX_MESSAGE)}`;
    const log = server === undefined ? logs.host : logs.server(request.server);
    log.log('debug', `Called ${tool} by ${request.route}: ${end.outcome} in ${Math.round(end.durationMs)} ms${why}`);
    const featureSet = server?.snapshot.mcpl?.sets.find(({ tools }) => tools.includes(request.tool))?.set.name;
    this.#options.audit.recordLater(() => {
      const detail = `${tool} by ${request.route} with arguments ${argumentDigest(request.args, ids)}${why}`;
      return callRecord({ server: request.server, ...end, featureSet, detail });
    });
  }

  #sumUp(request: ToolCallRequest, server: AuditedServer | undefined, outcome: AuditOutcome, durationMs: number): void {
    const isKnown = server !== undefined && toolNamed(server.snapshot, request.tool) !== undefined;
    const summary = this.#summaryOf(
      server === undefined ? '' : request.server,
      isKnown ? request.tool : '',
      request.route,
      outcome,
    );
    summary.count++;
    summary.totalMs += durationMs;
    summary.longestMs = Math.max(summary.longestMs, durationMs);
  }

  #summaryOf(server: string, tool: string, route: Route, outcome: AuditOutcome): Summary {
    const latest = this.#latest;
    if (latest?.server === server && latest.tool === tool && latest.route === route && latest.outcome === outcome)
      return latest;
    const key = JSON.stringify([server, tool, route, outcome]);
    let summary = this.#summaries.get(key);
    if (summary === undefined) {
      if (this.#summaries.size >= MAX_SUMMARIES) this.flush();
      summary = { server, tool, route, outcome, count: 0, totalMs: 0, longestMs: 0 };
      this.#summaries.set(key, summary);
      this.#flushing.request();
    }
    this.#latest = summary;
    return summary;
  }

  #recordSummary({ server, tool, route, outcome, count, totalMs, longestMs }: Summary): void {
    const { clock, logs } = this.#options;
    const what = tool === '' ? 'unknown tools' : cleanLine(this.#options.find(server)?.redact(tool) ?? tool, MAX_NAME);
    const detail = `${count} more calls of ${what} by ${route}, the longest ${Math.round(longestMs)} ms`;
    const log = server === '' ? logs.host : logs.server(server);
    log.log('debug', `${detail}: ${outcome}`);
    const end = { at: clock.now(), durationMs: totalMs / count, outcome };
    this.#options.audit.recordLater(() => callRecord({ server, ...end, detail }));
  }
}

function callRecord(call: Omit<AuditFacts, 'operation'>): AuditRecord {
  return auditRecord({ ...call, server: cleanLine(call.server, MAX_NAME), operation: 'tools/call' });
}

const OUTCOMES: { readonly [code in HostError['code']]?: AuditOutcome } = {
  TIMEOUT: 'timeout',
  CANCELLED: 'cancelled',
  STATE_BLOCKED: 'refused',
};

/** The policy refused, and nothing was sent. */
function outcomeOf({ code, layer }: HostError): AuditOutcome {
  return OUTCOMES[code] ?? (layer === 'policy' ? 'refused' : 'failure');
}
