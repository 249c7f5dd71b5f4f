import type { ApprovalOutcome, PendingApproval } from '../../core/index.ts';
import type { EditorServices } from '../shared/services.ts';

export type ApprovalServices = Pick<EditorServices, 'host' | 'log' | 'failures'>;

/** What the parts that are about approvals share. */
export interface ApprovalContext extends ApprovalServices {
  /** How a request ended, if that is not long ago. */
  readonly outcomeOf: (id: string) => ApprovalOutcome | undefined;
  /** Tells who answered what had ended. */
  readonly late: (id: string) => void;
  /** Tells that an answer could not be kept. */
  readonly notKept: (approval: Pick<PendingApproval, 'server'>, error: unknown) => void;
}
