import type { CancellationToken } from '../base/cancellation.ts';
import { messageOf } from '../base/errors.ts';
import type { Json } from '../base/json.ts';
import type { Clock } from '../ports.ts';
import { decodeInjections, encodeBefore, type HookTurn, type Injection } from '../wire/mcpl/hooks.ts';
import { callHook, type HookAnswer, reasonOf } from './hookCall.ts';
import { authorityOf, hasHook, hookRecord, type HookReport, turnFor } from './hookTurn.ts';
import { admitInjections, type Placed } from './injectionLimits.ts';
import type { Participant } from '../mcpl/participant.ts';
import { redactContent } from '../model/content.ts';
import type { Recorder } from '../audit/auditLog.ts';

interface GatherOptions {
  readonly token: CancellationToken;
  /** Maximum time for each server, whatever its settings say. */
  readonly mostMs?: number | undefined;
}

export interface HooksOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
}

/** The context from servers, in hook order. */
export interface Gathered {
  readonly placed: readonly Placed[];
  readonly remarks: readonly string[];
}

interface Contribution extends Gathered {
  readonly member: Participant;
}

const METHOD = 'context/beforeInference';
const USE = 'contextHooks.beforeInference';

/** MCPL §10.1: servers add to the context before a model sees it. */
export class ContextHooks {
  readonly #options: HooksOptions;

  constructor(options: HooksOptions) {
    this.#options = options;
  }

  /** The servers to ask, in the same order. */
  participants(members: readonly Participant[]): readonly Participant[] {
    return members.filter((member) => hasHook(member, USE));
  }

  /** Asks all servers in parallel, so it takes as long as the slowest. Never rejects. */
  async gather(turn: HookTurn, members: readonly Participant[], options: GatherOptions): Promise<Gathered> {
    const { clock } = this.#options;
    const { token, mostMs = Infinity } = options;
    const params = { seen: encodeBefore(turn), hidden: encodeBefore({ ...turn, userMessage: null }) };
    const contributions = await Promise.all(
      members.map(async (member): Promise<Contribution> => {
        const sees = turnFor(member, turn) === turn;
        const timeoutMs = Math.min(member.settings.hooks.beforeTimeoutMs, mostMs);
        const call = { method: METHOD, params: sees ? params.seen : params.hidden, timeoutMs };
        const answer = await callHook(member, call, { clock, token });
        return { member, ...this.#received(turn, member, answer) };
      }),
    );
    // Drops contributions of sets that were switched off while other servers answered.
    const standing = contributions.map((contribution) => this.#stillAllowed(turn, contribution));
    return {
      placed: standing.flatMap(({ placed }) => placed),
      remarks: standing.flatMap(({ remarks }) => remarks),
    };
  }

  #received(turn: HookTurn, member: Participant, answer: HookAnswer): Gathered {
    const { durationMs } = answer;
    if (answer.kind === 'answered') return this.#answered(turn, member, answer.result, durationMs);
    const why = reasonOf(member, answer);
    const outcome = answer.kind === 'failed' ? 'failure' : answer.kind;
    this.#record(turn, member, { operation: METHOD, outcome, durationMs, detail: `The server ${why}.` });
    if (answer.kind === 'cancelled') return NOTHING;
    return { placed: [], remarks: [`"${member.server}" ${why}; the turn goes on without its context.`] };
  }

  #answered(turn: HookTurn, member: Participant, result: Json, durationMs: number): Gathered {
    const report = { operation: METHOD, durationMs } as const;
    try {
      const { featureSet, injections, remarks } = decodeInjections(result);
      const authority = authorityOf(member, USE, featureSet);
      if (authority.kind === 'refused') {
        this.#record(turn, member, { ...report, outcome: 'dropped', detail: `Not used: ${authority.why}.` });
        return { placed: [], remarks: [`The context of "${member.server}" was not used: ${authority.why}.`] };
      }
      const admitted = admitInjections(member, withoutSecrets(member, injections));
      const all = [...remarks.map((remark) => `"${member.server}": ${member.redact(remark)}`), ...admitted.remarks];
      const detail = [`${admitted.placed.length} of ${injections.length} injections used.`, ...all].join(' ');
      const outcome = admitted.placed.length === 0 && all.length > 0 ? 'dropped' : 'success';
      this.#record(turn, member, { ...report, featureSet: authority.featureSet, outcome, detail });
      return { placed: admitted.placed, remarks: all };
    } catch (error) {
      this.#record(turn, member, { ...report, outcome: 'failure', detail: `Unreadable: ${messageOf(error)}` });
      return { placed: [], remarks: [`The context of "${member.server}" cannot be read and was not used.`] };
    }
  }

  #stillAllowed(turn: HookTurn, contribution: Contribution): Gathered {
    const { member, placed } = contribution;
    if (placed.length === 0) return contribution;
    const authority = authorityOf(member, USE, undefined);
    if (authority.kind === 'allowed') return contribution;
    const detail = `Not used: ${authority.why}.`;
    this.#record(turn, member, { operation: METHOD, outcome: 'dropped', durationMs: 0, detail });
    return { placed: [], remarks: [`The context of "${member.server}" was not used: ${authority.why}.`] };
  }

  #record(turn: HookTurn, member: Participant, report: HookReport): void {
    const { clock, recorder } = this.#options;
    recorder.record(hookRecord(clock, member, turn, report));
  }
}

/** The text goes to a model, and other servers read its answer. */
function withoutSecrets(member: Participant, injections: readonly Injection[]): readonly Injection[] {
  const redact = (text: string): string => member.redact(text);
  return injections.map((injection) => {
    const { namespace, content } = injection;
    return { ...injection, namespace: redact(namespace), content: redactContent(content, redact) };
  });
}

const NOTHING: Gathered = { placed: [], remarks: [] };
