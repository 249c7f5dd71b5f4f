import { cancelled, HostError, messageOf } from '../base/errors.ts';
import type { ModelFailureReason } from '../model/inference.ts';
import type { Refusal } from './budgets.ts';
import type { Unanswered } from './chooseModel.ts';

const TRY_AGAIN = 'Ask again, or choose another model.';

/** The error for the caller of a turn without an answer. */
export function turnFailure(end: Unanswered): HostError {
  switch (end.kind) {
    case 'cancelled':
      return cancelled('The turn');
    case 'late':
      return noAnswer('failed', 'The language model took too long.', { suggestion: TRY_AGAIN });
    case 'broken':
      return noAnswer('failed', `The language model could not be used: ${messageOf(end.error)}`, {
        suggestion: TRY_AGAIN,
        cause: end.error,
      });
    case 'failed':
      // The message contains the next step already.
      return end.reason === 'cancelled' ? cancelled('The turn') : noAnswer(end.reason, end.message);
  }
}

export function overBudget({ message, limit, retryAt }: Refusal): HostError {
  return new HostError('BUDGET_SPENT', message, { layer: 'policy', category: limit, retryAt, effect: 'none' });
}

function noAnswer(
  reason: ModelFailureReason,
  message: string,
  more: { readonly suggestion?: string; readonly cause?: unknown } = {},
): HostError {
  return new HostError('NO_MODEL', message, { layer: 'host', category: reason, ...more });
}
