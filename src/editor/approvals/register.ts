import * as vscode from 'vscode';
import { asyncLazy, type Disposable, DisposableStore, messageOf } from '../../core/index.ts';
import type { ApprovalAction } from './approvalCommands.ts';
import type { ApprovalServices } from './approvalContext.ts';
import { ApprovalsView } from './approvalsView.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { type CommandId, COMMANDS } from '../shared/ids.ts';

/** Registers the Approvals view, its commands, and approval notifications. */
export function registerApprovals(services: ApprovalServices): Disposable {
  const store = new DisposableStore();
  const ui = asyncLazy(
    () => import('./lazy.ts'),
    ({ openApprovalUi }) => store.add(openApprovalUi(services)),
  );
  const add = (id: CommandId, action: ApprovalAction, failed: string): unknown =>
    store.add(
      registerCommand(services, id, { failed }, async (argument, selection) =>
        (await ui.get()).actions[action](argument, selection),
      ),
    );
  const unanswered = vscode.l10n.t('The request was not answered');
  add(COMMANDS.approvalAnswer, 'answer', unanswered);
  add(COMMANDS.approvalAllowOnce, 'allowOnce', unanswered);
  add(COMMANDS.approvalAllowSession, 'allowSession', unanswered);
  add(COMMANDS.approvalAllowWorkspace, 'allowWorkspace', unanswered);
  add(COMMANDS.approvalDeny, 'deny', unanswered);
  add(COMMANDS.approvalOpen, 'open', vscode.l10n.t('The approval cannot be shown'));
  add(COMMANDS.approvalCopyTarget, 'copyTarget', vscode.l10n.t('The target was not copied'));
  const unrevoked = vscode.l10n.t('The approvals were not revoked');
  add(COMMANDS.approvalRevoke, 'revoke', unrevoked);
  add(COMMANDS.approvalsRevokeAll, 'revokeAll', unrevoked);
  add(COMMANDS.approvalsReview, 'review', unrevoked);
  add(COMMANDS.approvalChangeExpiry, 'changeExpiry', vscode.l10n.t('The expiry was not changed'));
  add(COMMANDS.approvalsExport, 'export', vscode.l10n.t('The approvals were not exported'));
  store.add(
    services.host.approvals.onDidAsk((approval) => {
      ui.get().then(
        (loaded) => loaded.asked(approval),
        (error: unknown) => services.log.log('error', `An approval could not be asked for: ${messageOf(error)}`),
      );
    }),
  );
  store.add(new ApprovalsView(services, ui));
  return store;
}
