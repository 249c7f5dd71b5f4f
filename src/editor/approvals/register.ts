import * as vscode from 'vscode';
import { asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import type { ApprovalServices } from './approvalContext.ts';
import { ApprovalsView } from './approvalsView.ts';
import { registerActions, whenLoaded } from '../shared/lazyPart.ts';
import { COMMANDS } from '../shared/ids.ts';

/** Registers the Approvals view, its commands, and approval notifications. */
export function registerApprovals(services: ApprovalServices): Disposable {
  const store = new DisposableStore();
  const ui = asyncLazy(
    () => import('./lazy.ts'),
    ({ openApprovalUi }) => store.add(openApprovalUi(services)),
  );
  const unanswered = vscode.l10n.t('The request was not answered');
  const unrevoked = vscode.l10n.t('The approvals were not revoked');
  store.add(
    registerActions(services, ui, [
      [COMMANDS.approvalAnswer, 'answer', unanswered],
      [COMMANDS.approvalAllowOnce, 'allowOnce', unanswered],
      [COMMANDS.approvalAllowSession, 'allowSession', unanswered],
      [COMMANDS.approvalAllowWorkspace, 'allowWorkspace', unanswered],
      [COMMANDS.approvalDeny, 'deny', unanswered],
      [COMMANDS.approvalOpen, 'open', vscode.l10n.t('The approval cannot be shown')],
      [COMMANDS.approvalCopyTarget, 'copyTarget', vscode.l10n.t('The target was not copied')],
      [COMMANDS.approvalRevoke, 'revoke', unrevoked],
      [COMMANDS.approvalsRevokeAll, 'revokeAll', unrevoked],
      [COMMANDS.approvalsReview, 'review', unrevoked],
      [COMMANDS.approvalChangeExpiry, 'changeExpiry', vscode.l10n.t('The expiry was not changed')],
      [COMMANDS.approvalsExport, 'export', vscode.l10n.t('The approvals were not exported')],
    ]),
  );
  store.add(
    services.host.approvals.onDidAsk((approval) =>
      whenLoaded(ui, services.log, 'An approval could not be asked for', (loaded) => loaded.asked(approval)),
    ),
  );
  store.add(new ApprovalsView(services, ui));
  return store;
}
