import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { isHostError, messageOf } from '../base/errors.ts';
import { canonicalJson, isDeeperThan, type Json, type JsonObject } from '../base/json.ts';
import type { Logger } from '../base/log.ts';
import {
  type ApprovalOutcome,
  type ApprovalRequest,
  DECISION_OPERATIONS,
  type PendingApproval,
  type ScopeAction,
  type ScopeSubject,
} from '../model/approval.ts';
import { type AuditOutcome, type AuditRecord, auditRecord } from '../model/audit.ts';
import type { ApprovalGrant, ScopeGrant } from '../model/grant.ts';
import type { ToolCallRequest } from '../model/operation.ts';
import type { ScopeClaim, ScopeSettings, ScopeTarget } from '../model/scope.ts';
import { type Judgement, ScopeEngine, type ScopeMatter } from './paths/scopeEngine.ts';
import type { ScopeContext } from './paths/computed.ts';
import type { Remembered } from '../approvals/rememberedApprovals.ts';
import type { Clock, FileNames, Ids } from '../ports.ts';
import { denialText, type ScopeDenial } from './denials.ts';
import { cleanLine, cleanText } from '../base/cleanText.ts';

/** The parts of a server that scope decisions need. */
export interface ScopedUnit {
  readonly id: string;
  /** Fingerprint of the open connection. `undefined` without one. */
  readonly fingerprint: string | undefined;
  /** The current settings. */
  readonly scopes: ScopeSettings;
  redact(text: string): string;
}

interface ScopeQuestion {
  readonly unit: ScopedUnit;
  readonly featureSet: string | undefined;
  readonly matter: ScopeMatter;
  /** The waiting tool call. */
  readonly call: ToolCallRequest | undefined;
  /** The key of the decision for this call, if the call is repeated. */
  readonly decided?: string | undefined;
  /** Whether the question is still valid: its set is on, and the connection is the same. */
  isCurrent(): boolean;
  /** Called before the user is asked, which may take long. */
  onAsking?(): void;
}

export type ScopeAnswer =
  | {
      readonly approved: true;
      readonly scope: ScopeClaim;
      /** The key of this exact request; see `ScopeQuestion.decided`. */
      readonly key: string | undefined;
    }
  | {
      readonly approved: false;
      readonly why: ScopeDenial;
      /** Details for the author of the arguments. */
      readonly detail: string | undefined;
    };

/** Asks the user, and remembers the answers. */
interface ScopeApprovals {
  /** Resolves once the grants of earlier sessions are loaded. */
  loaded(): Promise<void>;
  find(request: Remembered): Promise<ApprovalGrant | undefined>;
  pending(): readonly PendingApproval[];
  ask(request: ApprovalRequest, token: CancellationToken): Promise<ApprovalOutcome>;
  revoke(ids: readonly string[], why: string): Promise<void>;
}

interface ScopeDeciderOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly approvals: ScopeApprovals;
  readonly names: FileNames;
  context(unit: ScopedUnit): ScopeContext;
  /** `isFree`: the event needed no action of a user or a model, so a server can cause any number of them. */
  record(record: AuditRecord, isFree: boolean): void;
}

/** Maximum parallel decisions per server, because each reads the file system. Further requests are denied. */
const MAX_AT_ONCE = 64;

/**
 * Decides what a request may touch (MCPL §7.6): first the lists, then earlier grants, then the user. The scope that a
 * server claims is only the starting point.
 */
export class ScopeDecider {
  readonly #options: ScopeDeciderOptions;
  readonly #open = new Map<string, number>();
  readonly #engine: ScopeEngine;

  constructor(options: ScopeDeciderOptions) {
    this.#options = options;
    this.#engine = new ScopeEngine(options.names);
  }

  async decide(question: ScopeQuestion, token: CancellationToken): Promise<ScopeAnswer> {
    const { id } = question.unit;
    const began = this.#options.clock.now();
    const open = this.#open.get(id) ?? 0;
    const decision = open < MAX_AT_ONCE ? await this.#counted(question, token) : denied('flood', []);
    this.#record(question, decision, began);
    return decision.answer;
  }

  /** Grants that the settings deny now. */
  async denied(grants: readonly ScopeGrant[], unit: ScopedUnit): Promise<readonly ScopeGrant[]> {
    const context = this.#options.context(unit);
    const { scopes: settings } = unit;
    const denied: ScopeGrant[] = [];
    for (const some of inParts(grants)) {
      const featureSet = some[0]?.featureSet;
      const which = await this.#engine.denied(some, { featureSet, settings, context }, NO_CANCELLATION);
      denied.push(...which);
    }
    return denied;
  }

  async #counted(question: ScopeQuestion, token: CancellationToken): Promise<Decision> {
    const { id } = question.unit;
    this.#open.set(id, (this.#open.get(id) ?? 0) + 1);
    try {
      return await this.#decide(question, token);
    } catch (error) {
      if (isHostError(error, 'CANCELLED')) return denied('withdrawn', []);
      // Unknown targets are not allowed.
      this.#options.log.log('error', `The targets of "${id}" could not be decided: ${messageOf(error)}`);
      return denied('host', []);
    } finally {
      const left = (this.#open.get(id) ?? 1) - 1;
      if (left === 0) this.#open.delete(id);
      else this.#open.set(id, left);
    }
  }

  async #decide(question: ScopeQuestion, token: CancellationToken): Promise<Decision> {
    const judged = await this.#judge(question, token);
    if (token.isCancellationRequested) return denied('withdrawn', judged.targets);
    if (!question.isCurrent()) return denied('changed', judged.targets);
    if (judged.verdict === 'deny') return this.#denied(judged, this.#identity(question, judged));
    if (judged.verdict === 'allow') return this.#approved(question, judged, 'allowed by the settings');
    const request = this.#request(question, judged);
    if (request === undefined) return denied('changed', judged.targets);
    if (request.key === question.decided)
      return this.#approved(question, judged, 'allowed for this call before', request.key);
    await this.#options.approvals.loaded();
    const known = await this.#options.approvals.find(request);
    if (known === undefined) return this.#ask(question, judged, request, token);
    return this.#confirm(question, request, `allowed by the person before (${known.lifetime})`, token);
  }

  async #ask(
    question: ScopeQuestion,
    { targets }: Judgement,
    request: ApprovalRequest,
    token: CancellationToken,
  ): Promise<Decision> {
    // While the store was read, the server may have stopped or its set may have been switched off.
    if (!question.isCurrent()) return denied('changed', targets);
    // A server's settings define its secrets. Redaction must not hide a target from the user.
    if (targets.some(({ real }) => question.unit.redact(real) !== real)) return denied('host', targets, HAS_SECRET);
    const asked = this.#options.approvals.ask(request, token);
    if (this.#options.approvals.pending().some(({ key }) => key === request.key)) question.onAsking?.();
    const outcome = await asked;
    if (outcome.kind === 'approved')
      return this.#confirm(question, request, `allowed by the person (${outcome.choice})`, token);
    const isVoid = outcome.why === 'withdrawn' && !token.isCancellationRequested && !question.isCurrent();
    return denied(isVoid ? 'changed' : outcome.why, targets);
  }

  /**
   * During the question, a link or a setting may have changed: the approval covers only the shown targets.
   */
  async #confirm(
    question: ScopeQuestion,
    request: ApprovalRequest,
    how: string,
    token: CancellationToken,
  ): Promise<Decision> {
    const judged = await this.#judge(question, token);
    if (token.isCancellationRequested) return denied('withdrawn', judged.targets);
    if (judged.verdict === 'deny') return this.#denied(judged, request);
    if (!question.isCurrent()) {
      // The subject of the grant is gone, and no later event would revoke it.
      await this.#forget(request, 'its subject had changed');
      return denied('changed', judged.targets);
    }
    if (this.#identity(question, judged)?.key !== request.key) return denied('changed', judged.targets);
    return this.#approved(question, judged, how, request.key);
  }

  /** Revokes a matching grant, so that the request is not allowed again once the deny rule is removed. */
  async #denied(judged: DeniedJudgement, request: RequestIdentity | undefined): Promise<Decision> {
    if (judged.by === 'host') return denied('host', judged.targets, judged.why);
    if (request !== undefined) await this.#forget(request, 'the settings deny it now');
    return denied('settings', judged.targets);
  }

  #judge({ unit, matter, featureSet }: ScopeQuestion, token: CancellationToken): Promise<Judgement> {
    const context = this.#options.context(unit);
    return this.#engine.judge({ matter, featureSet, settings: unit.scopes, context }, token);
  }

  #approved({ matter }: ScopeQuestion, { targets }: Judgement, how: string, key?: string): Decision {
    const scope = matter.kind === 'elevate' ? matter.claim : scopeOfCall(matter, targets, (text) => this.#digest(text));
    return { answer: { approved: true, scope, key }, targets, how };
  }

  #request(question: ScopeQuestion, judged: Judgement): ApprovalRequest | undefined {
    const identity = this.#identity(question, judged);
    if (identity === undefined) return undefined;
    const { unit, matter, featureSet, call } = question;
    return { ...identity, featureSet, subject: subjectOf(matter, judged, (text) => unit.redact(text)), call };
  }

  /** Returns `undefined` if the connection is gone. */
  #identity({ unit, matter, featureSet }: ScopeQuestion, judged: Judgement): RequestIdentity | undefined {
    const { id: server, fingerprint } = unit;
    if (fingerprint === undefined) return undefined;
    const { targets } = judged;
    const digest = (text: string): string => this.#digest(text);
    const claim = matter.kind === 'elevate' ? matter.claim : scopeOfCall(matter, targets, digest);
    const action = matter.kind === 'elevate' ? 'scope/elevate' : matter.tool.name;
    // A call with unknown targets is identified by all its arguments.
    const said = matter.kind === 'call' && targets.length === 0 ? matter.args : claim.payload;
    const payloadHash = this.#digest(canonicalJson(said));
    const parts: Json = [server, fingerprint, featureSet ?? null, action, claim.label, [...judged.reals], payloadHash];
    return { server, fingerprint, key: this.#digest(canonicalJson(parts)), payloadHash };
  }

  async #forget(request: RequestIdentity, why: string): Promise<void> {
    await this.#options.approvals.loaded();
    const known = await this.#options.approvals.find({ ...request, subject: { kind: 'scope' } });
    if (known !== undefined) await this.#options.approvals.revoke([known.id], why);
  }

  #digest(text: string): string {
    return this.#options.ids.sha256(text).slice(0, 32);
  }

  #record({ unit, featureSet, matter }: ScopeQuestion, { answer, targets, how }: Decision, began: number): void {
    const { clock } = this.#options;
    const at = clock.now();
    const action = matter.kind === 'elevate' ? 'scope/elevate' : matter.tool.name;
    const touched = [...new Set(targets.map(({ real }) => real))];
    const what = touched.length === 0 ? '' : ` ${touched.slice(0, MAX_NAMED_COUNT).join(', ')}`;
    const more = touched.length > MAX_NAMED_COUNT ? ` and ${touched.length - MAX_NAMED_COUNT} more` : '';
    const isFree = answer.approved && answer.key === undefined && matter.kind === 'elevate';
    const record = auditRecord({
      at,
      server: unit.id,
      operation: DECISION_OPERATIONS.scope,
      featureSet,
      outcome: answer.approved ? 'success' : (OUTCOMES[answer.why] ?? 'refused'),
      durationMs: at - began,
      detail: unit.redact(`${action}${what}${more}: ${how}`),
    });
    this.#options.record(record, isFree);
  }
}

const HAS_SECRET = 'It names a secret of the settings, which a question cannot show.';

/** Grants judged per batch, with a yield to the event loop between batches: 10,000 grants took 100 ms. */
const PART = 200;

/** Splits grants into batches of one feature set each. */
function inParts(grants: readonly ScopeGrant[]): readonly (readonly ScopeGrant[])[] {
  const last = new Map<string | undefined, ScopeGrant[]>();
  const parts: ScopeGrant[][] = [];
  for (const grant of grants) {
    let part = last.get(grant.featureSet);
    if (part === undefined || part.length === PART) {
      part = [];
      last.set(grant.featureSet, part);
      parts.push(part);
    }
    part.push(grant);
  }
  return parts;
}

const MAX_NAMED_COUNT = 3;

const OUTCOMES: { readonly [why in ScopeDenial]?: AuditOutcome } = { timeout: 'timeout', withdrawn: 'cancelled' };

type DeniedJudgement = Extract<Judgement, { verdict: 'deny' }>;
type RequestIdentity = Pick<ApprovalRequest, 'server' | 'fingerprint' | 'key' | 'payloadHash'>;

interface Decision {
  readonly answer: ScopeAnswer;
  readonly targets: readonly ScopeTarget[];
  /** Wording for the audit. */
  readonly how: string;
}

function denied(why: ScopeDenial, targets: readonly ScopeTarget[], detail?: string): Decision {
  const ended = why === 'byPerson' ? 'denied by the person' : denialText(why);
  const how = detail === undefined ? ended : `${ended}: ${detail}`;
  return { answer: { approved: false, why, detail }, targets, how };
}

const MAX_LABEL = 1_000;
const MAX_PAYLOAD = 4_000;
const DEEPEST_INDENTED = 16;

/** Values of a payload's `mode` that a prompt may use as a verb. Others only appear in the payload. */
const MODES: readonly string[] = ['read', 'write', 'append', 'create', 'delete', 'move', 'rename', 'list', 'execute'];

type Call = Extract<ScopeMatter, { kind: 'call' }>;

/** The scope that the host sends with a tool call (MCPL §7.7), from the targets it computed. */
function scopeOfCall(
  { tool, args }: Call,
  targets: readonly ScopeTarget[],
  digest: (text: string) => string,
): ScopeClaim {
  const [first, ...others] = targets;
  // Without known targets, the scope is this exact call.
  if (first === undefined)
    return { label: `${tool.name}(${digest(canonicalJson(args)).slice(0, 12)})`, payload: undefined };
  const payload: JsonObject = {
    [first.kind]: first.real,
    ...(others.length > 0 && { targets: targets.map(({ real }) => real) }),
  };
  return { label: first.real, payload };
}

/** The text that the user sees. Any text from a server may contain a secret from settings. */
function subjectOf(matter: ScopeMatter, judged: Judgement, redact: (text: string) => string): ScopeSubject {
  const claim = matter.kind === 'elevate' ? matter.claim : undefined;
  const payload = claim?.payload ?? (matter.kind === 'call' ? matter.args : undefined);
  return {
    kind: 'scope',
    action: actionOf(matter),
    label: claim === undefined ? undefined : cleanLine(redact(claim.label), MAX_LABEL),
    payload: payload === undefined ? undefined : cleanText(redact(textOf(payload)), MAX_PAYLOAD),
    targets: judged.targets.map((target) => ({
      ...target,
      written: cleanLine(redact(target.written), MAX_LABEL),
      real: redact(target.real),
    })),
    why: judged.verdict === 'ask' ? judged.doubt : 'unlisted',
  };
}

function actionOf(matter: ScopeMatter): ScopeAction {
  if (matter.kind === 'call') return { kind: 'call', tool: matter.tool.name };
  const mode = matter.claim.payload?.['mode'];
  return { kind: 'elevate', mode: typeof mode === 'string' && MODES.includes(mode) ? mode : undefined };
}

function textOf(payload: JsonObject): string {
  // Deeply nested JSON would get a thousand times longer with indentation.
  return JSON.stringify(payload, undefined, isDeeperThan(payload, DEEPEST_INDENTED) ? undefined : 2);
}
