import type { Approvals, Json } from '../../core/index.ts';
import { grantView, pendingView } from './approvalViews.ts';
import type { Handlers } from './commands.ts';
import { auditView } from './mcplViews.ts';

type ApprovalCommand = 'approvals' | 'answerApproval' | 'revokeApprovals' | 'setApprovalExpiry';

/** What a driver does with what servers want to have approved, and with what was approved. */
export function approvalHandlers(approvals: Approvals): Handlers<ApprovalCommand> {
  const remembered = (): Json => approvals.remembered().map(grantView);
  return {
    approvals: async ({ limit }) => {
      await approvals.loaded();
      const history = await approvals.history(limit);
      return {
        pending: approvals.pending().map(pendingView),
        remembered: remembered(),
        history: history.map(auditView),
      };
    },
    answerApproval: async ({ approval, answer }) => ({ answered: await approvals.answer(approval, answer) }),
    revokeApprovals: async ({ ids }) => {
      await approvals.loaded();
      await approvals.revoke(ids);
      return { remembered: remembered() };
    },
    setApprovalExpiry: async ({ ids, until }) => {
      await approvals.loaded();
      await approvals.setExpiry(ids, until);
      return { remembered: remembered() };
    },
  };
}
