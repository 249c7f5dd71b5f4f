import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { cleanLine } from '../base/cleanText.ts';
import { DisposableStore } from '../base/disposable.ts';
import { assertNever, type HostError, isHostError, toHostError } from '../base/errors.ts';
import type { Json, JsonObject } from '../base/json.ts';
import type { Participant } from '../mcpl/participant.ts';

interface HookCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly timeoutMs: number;
}

interface HookContext {
  readonly clock: Clock;
  readonly token: CancellationToken;
}

type HookOutcome =
  | { readonly kind: 'answered'; readonly result: Json }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'failed'; readonly error: HostError }
  | { readonly kind: 'cancelled' };

export type HookAnswer = HookOutcome & { readonly durationMs: number };

const MAX_REASON = 300;

/**
 * Sends a hook to one server, and marks the server as inside a hook until it ends (MCPL §10.7). The request is sent
 * before this returns. Requests of the server, or a connection that waits for the user, do not extend the timeout. Late
 * answers are ignored.
 */
export function callHook(member: Participant, call: HookCall, { clock, token }: HookContext): Promise<HookAnswer> {
  if (token.isCancellationRequested) return Promise.resolve({ kind: 'cancelled', durationMs: 0 });
  const startedAt = clock.now();
  const held = new DisposableStore();
  const source = held.add(new CancellationSource());
  held.add(member.enterHook());
  return new Promise((resolve) => {
    // Later calls have no effect.
    const end = (outcome: HookOutcome): void => {
      held.dispose();
      resolve({ ...outcome, durationMs: clock.now() - startedAt });
    };
    const abandon = (outcome: HookOutcome, reason: string): void => {
      source.cancel(reason);
      end(outcome);
    };
    void send(member, call, source.token).then(
      (result) => end({ kind: 'answered', result }),
      (error: unknown) => end(failure(error)),
    );
    const late = (): void => abandon({ kind: 'timeout' }, 'The time allowed for this hook is over.');
    held.add(clock.delay(call.timeoutMs, late));
    held.add(token.onCancellationRequested(() => abandon({ kind: 'cancelled' }, 'The turn was cancelled.')));
  });
}

/** Why a hook contributed nothing. Completes "The server …". */
export function reasonOf(member: Participant, answer: Exclude<HookOutcome, { kind: 'answered' }>): string {
  switch (answer.kind) {
    case 'timeout':
      return 'did not answer in time';
    case 'cancelled':
      return 'was not waited for: the turn was cancelled';
    case 'failed':
      return `failed: ${cleanLine(member.redact(answer.error.message), MAX_REASON).replace(/\.+$/, '')}`;
    default:
      return assertNever(answer);
  }
}

/** Async, so that a missing session becomes a rejection too. */
async function send(member: Participant, call: HookCall, token: CancellationToken): Promise<Json> {
  const { method, params, timeoutMs } = call;
  return member.session.request(method, params, { timeoutMs, maxTimeoutMs: timeoutMs, token });
}

function failure(error: unknown): HookOutcome {
  return isHostError(error, 'TIMEOUT') ? { kind: 'timeout' } : { kind: 'failed', error: toHostError(error) };
}
