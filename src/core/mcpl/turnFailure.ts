import { cancelled, HostError, messageOf } from '../base/errors.ts';
import type { ModelFailureReason } from '../model/inference.ts';
import type { Refusal } from './budgets.ts';
import type { Unanswered } from './modelUse.ts';

const NEXT_STEP: Readonly<Record<ModelFailureReason, string>> = {
  no_model: 'Sign in to a provider of language models in the editor, or install one, and ask again.',
  no_permission: 'Allow this extension to use language models, and ask again.',
  blocked: 'Ask in other words, or choose another model.',
  quota: 'Wait until the quota of the model is renewed, or choose another model.',
  cancelled: 'Ask again.',
  failed: 'Ask again, or choose another model.',
};

/** A model that gave no answer, as whoever started the turn is told of it. */
export function turnFailure(end: Unanswered): HostError {
  switch (end.kind) {
    case 'cancelled':
      return cancelled('The turn');
    case 'late':
      return noAnswer('failed', 'The language model took too long.');
    case 'broken':
      return noAnswer('failed', `The language model could not be used: ${messageOf(end.error)}`, end.error);
    case 'failed':
      return end.reason === 'cancelled' ? cancelled('The turn') : noAnswer(end.reason, end.message);
  }
}

export function overBudget({ message, limit, retryAt }: Refusal): HostError {
  return new HostError('BUDGET_SPENT', message, { layer: 'policy', category: limit, retryAt, effect: 'none' });
}

function noAnswer(reason: ModelFailureReason, message: string, cause?: unknown): HostError {
  return new HostError('NO_MODEL', message, {
    layer: 'host',
    category: reason,
    suggestion: NEXT_STEP[reason],
    cause,
  });
}
