import type { ApprovalOutcome, PendingApproval } from '../../core/index.ts';
import type { EditorServices } from '../shared/services.ts';

export type ApprovalServices = Pick<EditorServices, 'host' | 'clock' | 'log' | 'failures'>;

/** Services shared by the approval parts. */
export interface ApprovalContext extends ApprovalServices {
  /** How a recent request ended. */
  readonly outcomeOf: (id: string) => ApprovalOutcome | undefined;
  /** Reports an answer to a request that has ended. */
  readonly late: (id: string) => void;
  /** Reports an answer that could not be stored. */
  readonly notKept: (approval: Pick<PendingApproval, 'server'>, error: unknown) => void;
}
