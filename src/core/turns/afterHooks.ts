import { showHidden } from '../base/hiddenText.ts';
import type { CancellationToken } from '../base/cancellation.ts';
import { cancelled, HostError, messageOf } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { AuditOutcome } from '../model/audit.ts';
import { type AnsweredTurn, decodeModified, encodeAfter } from '../wire/mcpl/hooks.ts';
import type { HooksOptions } from './contextHooks.ts';
import { callHook, type HookAnswer, reasonOf } from './hookCall.ts';
import { authorityOf, hasHook, hookRecord, turnFor } from './hookTurn.ts';
import type { Participant } from '../mcpl/participant.ts';

/** An answer that every blocking hook accepted. */
export interface Checked {
  readonly text: string;
  /** Servers that changed it, in order. */
  readonly modifiedBy: readonly string[];
  readonly remarks: readonly string[];
}

interface CheckOptions {
  readonly token: CancellationToken;
  onStep(step: string): void;
}

/** One server's reaction to the answer. `why` completes "The server …". */
type Finding =
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'changed'; readonly text: string }
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'cancelled' };

/** A finding for the audit, which records that the answer changed but not its text. */
interface Judged {
  readonly finding: Finding;
  readonly outcome: AuditOutcome;
  readonly featureSet?: string | undefined;
  readonly detail: string;
}

const METHOD = 'context/afterInference';
const USE = 'contextHooks.afterInference';
/** Total time of all blocking hooks in a turn, because the user is waiting. */
const TOTAL_MS = 30_000;

/** MCPL §10.5: servers read an answer. Those with a blocking hook may change it before it is shown. */
export class AfterHooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** The servers that may change the answer. */
  blockers(members: readonly Participant[]): readonly Participant[] {
    return members.filter((member) => hasHook(member, USE) && member.dialect.after === 'blocking');
  }

  /**
   * Calls the hooks one by one, each with the text of the one before, so that no server restores what another removed.
   * Rejects with a `HostError`: ANSWER_WITHHELD if a required check failed, or CANCELLED.
   */
  async check(turn: AnsweredTurn, blockers: readonly Participant[], options: CheckOptions): Promise<Checked> {
    const { clock } = this.#options;
    const end = clock.now() + TOTAL_MS;
    const modifiedBy: string[] = [];
    const remarks: string[] = [];
    let text = turn.assistantMessage;
    for (const member of blockers) {
      if (options.token.isCancellationRequested) throw cancelled('The turn');
      options.onStep(`Having ${member.server} check the answer`);
      const seen = { ...turn, assistantMessage: text };
      const finding = await this.#ask(member, seen, end - clock.now(), options.token);
      if (finding.kind === 'cancelled') throw cancelled('The turn');
      if (finding.kind === 'failed') {
        if (mustCheck(member)) throw withheld(member, finding.why);
        remarks.push(`"${member.server}" did not check the answer: it ${finding.why}.`);
      }
      if (finding.kind !== 'changed') continue;
      text = finding.text;
      modifiedBy.push(member.server);
      if (text === '') remarks.push(`"${member.server}" left nothing of the answer.`);
    }
    return { text, modifiedBy, remarks };
  }

  /** Throws ANSWER_WITHHELD if a server must check an answer that is shown while it streams. */
  refuseUnchecked(blockers: readonly Participant[]): void {
    const guard = blockers.find(mustCheck);
    if (guard !== undefined) throw uncheckable(guard);
  }

  /** Sends the answer as shown to servers with a non-blocking hook. */
  tell(turn: AnsweredTurn, members: readonly Participant[]): void {
    for (const member of members) {
      if (!hasHook(member, USE) || member.dialect.after !== 'notify') continue;
      try {
        member.session.notify(METHOD, this.#params(member, turn));
        this.#record(member, turn, 0, { outcome: 'success', detail: 'Told of the answer.' });
      } catch (error) {
        this.#record(member, turn, 0, { outcome: 'failure', detail: messageOf(error) });
      }
    }
  }

  async #ask(member: Participant, turn: AnsweredTurn, leftMs: number, token: CancellationToken): Promise<Finding> {
    const startedAt = this.#options.clock.now();
    const judged = await this.#asked(member, turn, leftMs, token);
    const isWithheld = judged.finding.kind === 'failed' && mustCheck(member);
    const detail = isWithheld ? `${judged.detail} The answer was withheld.` : judged.detail;
    this.#record(member, turn, this.#options.clock.now() - startedAt, { ...judged, detail });
    return judged.finding;
  }

  async #asked(member: Participant, turn: AnsweredTurn, leftMs: number, token: CancellationToken): Promise<Judged> {
    // The server may have stopped or been switched off since the turn began, so check again before sending the text.
    if (!hasHook(member, USE)) return failed('dropped', 'takes no part any more');
    if (leftMs <= 0) return failed('timeout', 'had no time left after the others');
    const timeoutMs = Math.min(member.settings.hooks.afterTimeoutMs, leftMs);
    const call = { method: METHOD, params: this.#params(member, turn), timeoutMs };
    // The transport also redacts outgoing messages. Compare the reply with the text that the server received.
    const sent = { ...turn, assistantMessage: member.redactForeign(turn.assistantMessage) };
    return judge(member, sent, await callHook(member, call, { clock: this.#options.clock, token }));
  }

  #params(member: Participant, turn: AnsweredTurn): JsonObject {
    return encodeAfter({ ...turn, userMessage: turnFor(member, turn).userMessage });
  }

  #record(
    member: Participant,
    turn: AnsweredTurn,
    durationMs: number,
    { outcome, featureSet, detail }: Omit<Judged, 'finding'>,
  ): void {
    const { clock, recorder } = this.#options;
    recorder.record(hookRecord(clock, member, turn, { operation: METHOD, outcome, featureSet, durationMs, detail }));
  }
}

function judge(member: Participant, turn: AnsweredTurn, answer: HookAnswer): Judged {
  if (answer.kind === 'answered') return judgeResult(member, turn, answer.result);
  const why = reasonOf(member, answer);
  if (answer.kind === 'cancelled')
    return { finding: { kind: 'cancelled' }, outcome: 'cancelled', detail: `The server ${why}.` };
  if (answer.kind === 'timeout') return failed('timeout', why);
  // The server's error message may contain the answer, which must not be shown yet.
  const { code, rpcCode } = answer.error;
  return failed('failure', code === 'REMOTE_ERROR' ? `failed with the error ${rpcCode ?? 'unknown'}` : why);
}

function judgeResult(member: Participant, turn: AnsweredTurn, result: Json): Judged {
  const { featureSet: named, modifiedResponse, problem } = decodeModified(result);
  const authority = authorityOf(member, USE, named);
  if (authority.kind === 'refused') return failed('dropped', `gave an answer that does not count: ${authority.why}`);
  if (problem !== undefined)
    return failed('failure', `gave an answer that cannot be read: ${problem.replace(/\.$/, '')}`);
  const { featureSet } = authority;
  if (modifiedResponse === undefined || modifiedResponse === turn.assistantMessage)
    return { finding: { kind: 'unchanged' }, outcome: 'success', featureSet, detail: 'Left the answer as it was.' };
  // The model reads the answer again in the next turn.
  const text = showHidden(withoutSecrets(member, modifiedResponse, turn.assistantMessage));
  const finding = { kind: 'changed', text } as const;
  return { finding, outcome: 'success', featureSet, detail: 'Changed the answer.' };
}

/** Text that the model wrote is no secret, so an answer that quotes it stays complete. */
function withoutSecrets(member: Participant, text: string, before: string): string {
  return member.redact(before) === before ? member.redact(text) : text;
}

function failed(outcome: AuditOutcome, why: string): Judged {
  return { finding: { kind: 'failed', why }, outcome, detail: `The server ${why}.` };
}

/** MCPL §13.3 */
function mustCheck(member: Participant): boolean {
  return member.settings.hooks.afterInference === 'failClosed';
}

function uncheckable({ server }: Participant): HostError {
  return new HostError(
    'ANSWER_WITHHELD',
    `The server "${server}" must see every answer first, which this chat does not support.`,
    {
      layer: 'policy',
      effect: 'none',
      suggestion: `Ask @mcpl instead, or set "hooks.afterInference" of "${server}" to "failOpen".`,
    },
  );
}

function withheld({ server }: Participant, why: string): HostError {
  return new HostError('ANSWER_WITHHELD', `The answer is not shown: "${server}" has to check it first, and ${why}.`, {
    layer: 'policy',
    suggestion: `Ask again, or set "hooks.afterInference" of "${server}" to "failOpen" to see answers that it did not check.`,
  });
}
