import { type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { cleanText } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import { cancelled, HostError, isHostError, messageOf, toHostError } from '../base/errors.ts';
import type { RollbackOptions, RollbackPlan, RollbackResult } from '../hostTypes.ts';
import type { Recorder } from '../audit/auditLog.ts';
import { type AuditOutcome, auditRecord } from '../model/audit.ts';
import {
  type Checkpoint,
  type CheckpointDetail,
  checkpointName,
  keyText,
  type LineageKey,
  type LineagePath,
  type StateKeeper,
} from '../model/lineage.ts';
import { DEFAULT_TIMEOUTS } from '../model/server.ts';
import type { StateRecord, StateStore } from '../ports.ts';
import type { Session } from '../session/session.ts';
import { decodeRollback, type RolledBack, rollbackParams } from '../wire/mcpl/stateResult.ts';
import type { StatefulServer, StateQueue, StateTurn } from './stateCalls.ts';
import type { StateKeeping } from './stateKeeping.ts';
import { toolNamed } from '../calls/callSteps.ts';

interface StateRollbackOptions {
  readonly clock: Clock;
  readonly states: StateStore;
  readonly queue: StateQueue;
  readonly keeping: StateKeeping;
  readonly audit: Recorder;
  redact(server: string, text: string): string;
  find(server: string): StatefulServer | undefined;
  onMoved(key: LineageKey): void;
}

/** A request to move the head. */
interface RollbackRequest {
  readonly detail: CheckpointDetail;
  readonly conversation: string | undefined;
  readonly from: number | undefined;
  readonly canContinue: boolean;
}

/** The result, with the text for the audit. */
interface Ending {
  readonly result: RollbackResult;
  readonly outcome: AuditOutcome;
  readonly detail: string;
}

/** MCPL §8.8 */
const CHECKPOINT_NOT_FOUND = -32005;
const MAX_REASON = 1_000;

/**
 * Rollbacks (MCPL §8.5, §8.6): the head only moves if the server confirmed it, or if the user continues without the
 * server.
 */
export class StateRollback {
  readonly #options: StateRollbackOptions;

  constructor(options: StateRollbackOptions) {
    this.#options = options;
  }

  async plan(rowId: number): Promise<RollbackPlan> {
    const detail = await this.#detail(rowId);
    const { server, featureSet, keeper } = detail;
    const path = await this.#options.states.path(rowId);
    if (path === undefined) throw unknownCheckpoint();
    const unit = this.#options.find(server);
    return {
      ...path,
      server,
      featureSet,
      hindrance: hindranceOf(detail, unit),
      canContinue: canContinueFrom(path, keeper),
      tools: toolsOf(path.left, unit),
    };
  }

  async rollBack(
    rowId: number,
    { conversation, token = NO_CANCELLATION }: RollbackOptions = {},
  ): Promise<RollbackResult> {
    const began = this.#options.clock.now();
    const detail = await this.#detail(rowId);
    this.#session(detail);
    return this.#inTurn(detail, token, async () => {
      // The server may have stopped, or its set may have been switched off, while this waited.
      const session = this.#session(detail);
      const wanted = await this.#wanted(detail, conversation);
      const ending = await this.#asked(wanted, session, token);
      this.#record(detail, 'state/rollback', ending.outcome, ending.detail, began);
      return ending.result;
    });
  }

  async continueFrom(rowId: number, conversation?: string): Promise<void> {
    const began = this.#options.clock.now();
    const detail = await this.#detail(rowId);
    await this.#inTurn(detail, NO_CANCELLATION, async () => {
      const { canContinue, from } = await this.#wanted(detail, conversation);
      const name = checkpointName(detail.node);
      if (!canContinue) throw notContinued(detail);
      await this.#moved({ detail, conversation, canContinue, from }, 'continue', rowId);
      this.#record(detail, 'state/continue', 'success', name, began);
    });
  }

  async #detail(rowId: number): Promise<CheckpointDetail> {
    const detail = await this.#options.states.checkpoint(rowId);
    if (detail === undefined) throw unknownCheckpoint();
    return detail;
  }

  /** Throws if the server cannot be asked. */
  #session(detail: CheckpointDetail): Session {
    const unit = this.#options.find(detail.server);
    const hindrance = hindranceOf(detail, unit);
    if (hindrance === undefined && unit?.session !== undefined) return unit.session;
    const why = hindrance ?? `The server "${detail.server}" is not running. Start it, then try again.`;
    this.#record(detail, 'state/rollback', 'refused', `${checkpointName(detail.node)}: ${why}`);
    throw new HostError('ROLLBACK_UNAVAILABLE', why, { layer: 'policy', effect: 'none' });
  }

  async #inTurn<T>(key: LineageKey, token: CancellationToken, work: () => Promise<T>): Promise<T> {
    let turn: StateTurn | undefined;
    try {
      turn = await this.#options.queue.begin(keyText(key), token, () => undefined);
      // The rollback may be the way to leave a state that cannot be stored.
      await this.#options.keeping.flush(key).catch(() => undefined);
      if (token.isCancellationRequested) throw cancelled('The rollback');
      return await work();
    } catch (error) {
      throw isHostError(error, 'CANCELLED') ? cancelled('The rollback') : error;
    } finally {
      turn?.end();
    }
  }

  async #wanted(detail: CheckpointDetail, conversation: string | undefined): Promise<RollbackRequest> {
    const { states } = this.#options;
    const path = await states.path(detail.node.place);
    if (path === undefined) throw unknownCheckpoint();
    const head = conversation === undefined ? path.head : (await states.base(detail, conversation, detail.keeper)).head;
    return { detail, conversation, from: head?.place, canContinue: canContinueFrom(path, detail.keeper) };
  }

  async #asked(wanted: RollbackRequest, session: Session, token: CancellationToken): Promise<Ending> {
    const { featureSet, node, server } = wanted.detail;
    const { call, callMax } = this.#options.find(server)?.snapshot.definition?.timeouts ?? DEFAULT_TIMEOUTS;
    let answer: RolledBack;
    try {
      const sending = { timeoutMs: call * 1_000, maxTimeoutMs: callMax * 1_000, token };
      answer = decodeRollback(
        await session.request('state/rollback', rollbackParams(featureSet, node.checkpoint), sending),
      );
    } catch (error) {
      return this.#failed(wanted, toHostError(error));
    }
    return answer.success ? this.#succeeded(wanted, answer.checkpoint) : this.#refused(wanted, answer.reason);
  }

  async #succeeded(wanted: RollbackRequest, checkpoint: string | undefined): Promise<Ending> {
    const asked = wanted.detail.node;
    const name = checkpointName(asked);
    const outcome = 'success';
    try {
      if (checkpoint === undefined || checkpoint === asked.checkpoint) {
        await this.#moved(wanted, 'rollback', asked.place);
        return { result: { kind: 'rolledBack', head: asked }, outcome, detail: name };
      }
      const { kind, node: head } = await this.#arrived(wanted, checkpoint);
      const detail = `${name}: the server went to ${checkpointName(head)}`;
      if (kind !== 'broken') return { result: { kind: 'elsewhere', head, asked }, outcome, detail };
      const reason = `The server went to ${checkpointName(head)}, whose state is not known here.`;
      return { result: { kind: 'unanswered', reason, canContinue: wanted.canContinue }, outcome: 'failure', detail };
    } catch (error) {
      const { suggestion } = toHostError(error);
      const message = `The server went back to ${name}, and that could not be stored: ${messageOf(error)}`;
      this.#record(wanted.detail, 'state/rollback', 'failure', message);
      throw new HostError('STORAGE_FAILED', message, { layer: 'host', effect: 'applied', suggestion, cause: error });
    }
  }

  /** Records a new checkpoint name that a rollback returned (docs/decisions/rollback-outcomes.md). */
  async #arrived(wanted: RollbackRequest, checkpoint: string): Promise<StateRecord> {
    const { clock, states } = this.#options;
    const { server, featureSet, keeper, node } = wanted.detail;
    // Storing it moves the head and ends a block, as a move would.
    const record = await states.record({
      server,
      featureSet,
      keeper,
      conversation: wanted.conversation,
      checkpoint,
      parent: undefined,
      base: node.place,
      cause: 'rollback',
      body: undefined,
      at: clock.now(),
      tool: undefined,
      args: undefined,
    });
    this.#left(wanted);
    return record;
  }

  async #refused(wanted: RollbackRequest, said: string | undefined): Promise<Ending> {
    const reason = this.#cleaned(wanted, said ?? 'It gave no reason.');
    await this.#noted(wanted, reason);
    const { canContinue } = wanted;
    const detail = `${checkpointName(wanted.detail.node)}: ${reason}`;
    return { result: { kind: 'refused', reason, canContinue }, outcome: 'failure', detail };
  }

  async #failed(wanted: RollbackRequest, error: HostError): Promise<Ending> {
    const { canContinue } = wanted;
    const name = checkpointName(wanted.detail.node);
    const reason = this.#cleaned(wanted, error.message);
    const detail = `${name}: ${reason}`;
    if (error.rpcCode === CHECKPOINT_NOT_FOUND) {
      await this.#options.states.markPruned(wanted.detail.node.place);
      await this.#noted(wanted, 'The server no longer has it.');
      return { result: { kind: 'pruned', canContinue }, outcome: 'failure', detail };
    }
    if (error.code === 'REMOTE_ERROR' || error.effect === 'none') return this.#refused(wanted, reason);
    // An unreadable answer may still mean success.
    const outcome = OUTCOMES[error.code] ?? 'failure';
    await this.#noted(wanted, reason);
    return { result: { kind: 'unanswered', reason, canContinue }, outcome, detail };
  }

  #cleaned({ detail }: RollbackRequest, text: string): string {
    return cleanText(this.#options.redact(detail.server, text), MAX_REASON);
  }

  async #moved(wanted: RollbackRequest, kind: 'rollback' | 'continue', to: number): Promise<void> {
    const { clock, states } = this.#options;
    const { conversation, from } = wanted;
    await states.move({ at: clock.now(), kind, from, to, refusal: undefined }, conversation);
    this.#left(wanted);
  }

  /** The head moved: drops updates still queued for the old head. */
  #left({ detail }: RollbackRequest): void {
    this.#options.keeping.forget(detail);
    this.#options.onMoved(detail);
  }

  /** Records the attempt. A failure to record it does not fail the rollback. */
  async #noted({ detail, conversation, from }: RollbackRequest, refusal: string): Promise<void> {
    const { clock, states } = this.#options;
    const to = detail.node.place;
    try {
      await states.move({ at: clock.now(), kind: 'rollback', from, to, refusal }, conversation);
    } catch (error) {
      this.#record(detail, 'state/rollback', 'failure', `It could not be noted: ${messageOf(error)}`);
    }
    this.#options.onMoved(detail);
  }

  #record(
    { server, featureSet }: LineageKey,
    operation: string,
    outcome: AuditOutcome,
    detail: string,
    began: number = this.#options.clock.now(),
  ): void {
    const at = this.#options.clock.now();
    const durationMs = at - began;
    const redacted = this.#options.redact(server, detail);
    this.#options.audit.record(
      auditRecord({ at, server, operation, featureSet, outcome, durationMs, detail: redacted }),
    );
  }
}

const OUTCOMES: { readonly [code in HostError['code']]?: AuditOutcome } = {
  TIMEOUT: 'timeout',
  CANCELLED: 'cancelled',
};

function unknownCheckpoint(): HostError {
  return new HostError('UNKNOWN_CHECKPOINT', 'There is no such checkpoint any more.', {
    layer: 'host',
    effect: 'none',
    suggestion: 'Look at the lineage again, and choose another one.',
  });
}

function notContinued({ keeper, node, server }: CheckpointDetail): HostError {
  const name = checkpointName(node);
  const message =
    keeper === 'host'
      ? `The host has no state at ${name} to go on with.`
      : `The server "${server}" keeps its state itself: only it can go back to ${name}.`;
  return new HostError('ROLLBACK_UNAVAILABLE', message, {
    layer: 'policy',
    effect: 'none',
    suggestion: keeper === 'host' ? 'Choose another checkpoint.' : 'Roll back instead.',
  });
}

/** Why a rollback to a checkpoint cannot be requested: a sentence with the next step. */
function hindranceOf(detail: CheckpointDetail, unit: StatefulServer | undefined): string | undefined {
  const { server, featureSet, node } = detail;
  if (node.form === 'placeholder')
    return `Nothing but its name is known of ${checkpointName(node)}. Choose a checkpoint that was recorded.`;
  if (featureSet === '')
    return 'The feature set of this state is unknown. Name the feature set of its tool in "toolFeatureSets".';
  if (unit?.session === undefined) return `The server "${server}" is not running. Start it, then try again.`;
  const view = unit.snapshot.mcpl?.sets.find(({ set }) => set.name === featureSet);
  if (view === undefined) return `The server "${server}" does not declare the feature set "${featureSet}" any more.`;
  // MCPL §8.1; docs/decisions/rollback-outcomes.md.
  if (!view.set.rollback) return `The feature set "${featureSet}" does not offer to roll back.`;
  if (view.state !== 'enabled') return `The feature set "${featureSet}" is off. Switch it on, then try again.`;
  return undefined;
}

/** The host can continue from a state that it stores. If the server keeps it, only the server can roll back. */
function canContinueFrom({ hasState }: Pick<LineagePath, 'hasState'>, keeper: StateKeeper): boolean {
  return keeper === 'host' && hasState;
}

function toolsOf(left: readonly Checkpoint[], unit: StatefulServer | undefined): RollbackPlan['tools'] {
  const counts = new Map<string, number>();
  for (const { tool } of left) if (tool !== undefined) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  return [...counts].map(([tool, count]) => ({ tool, count, reachesOut: reachesOut(tool, unit) }));
}

/** According to the server's hints. An unknown tool may have done anything. */
function reachesOut(name: string, unit: StatefulServer | undefined): boolean {
  const hints = unit === undefined ? undefined : toolNamed(unit.snapshot, name)?.tool.hints;
  return hints === undefined || (!hints.readOnly && (hints.destructive || hints.openWorld));
}
