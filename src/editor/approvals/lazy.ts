import * as vscode from 'vscode';
import {
  type ApprovalChoice,
  type ApprovalOutcome,
  type Disposable,
  DisposableStore,
  type PendingApproval,
} from '../../core/index.ts';
import { type ApprovalActions, approvalActions } from './approvalCommands.ts';
import type { ApprovalContext, ApprovalServices } from './approvalContext.ts';
import { ApprovalDocuments } from './approvalDocuments.ts';
import { type ApprovalNode, type ApprovalState, approvalTree } from './approvalNodes.ts';
import { answersTo } from './approvalPage.ts';
import { approvalText, lateText } from './approvalText.ts';
import { ApprovalToasts } from './approvalToasts.ts';
import { openFolders } from '../shared/workspaceFolders.ts';
import { plainText } from '../shared/plainText.ts';
import { notify } from '../shared/notify.ts';

/** Maximum ended requests whose outcome is remembered. */
const MAX_ENDED = 200;

/** Everything about approvals, loaded with the first request. */
export interface ApprovalUi extends Disposable {
  readonly actions: ApprovalActions;
  tree(state: ApprovalState): readonly ApprovalNode[];
  asked(approval: PendingApproval): void;
}

export function openApprovalUi(services: ApprovalServices): ApprovalUi {
  const { host, failures } = services;
  const store = new DisposableStore();
  const ended = new Map<string, ApprovalOutcome>();
  const context: ApprovalContext = {
    ...services,
    outcomeOf: (id) => ended.get(id),
    late: (id) => void notify({ severity: 'info', text: lateText(ended.get(id)) }),
    notKept: ({ server }, error) =>
      failures.show(vscode.l10n.t('Your answer to "{0}" was not kept', plainText(server, 64)), error, { server }),
  };
  const toasts = store.add(
    new ApprovalToasts({
      textOf: (approval) => approvalText(approval, openFolders()),
      show: showToast,
      isPending: (id) => host.approvals.pending().some((each) => each.id === id),
      answer: (id, choice) => host.approvals.answer(id, choice),
      late: ({ id }) => context.late(id),
      failed: (approval, error) => context.notKept(approval, error),
    }),
  );
  const documents = store.add(new ApprovalDocuments(context));
  store.add(
    host.approvals.onDidSettle((settled) => {
      ended.set(settled.approval.id, settled.outcome);
      for (const id of [...ended.keys()].slice(0, -MAX_ENDED)) ended.delete(id);
      toasts.settled(settled);
      documents.refresh();
    }),
  );
  return {
    actions: approvalActions(context, documents),
    tree: (state) => approvalTree(state, openFolders(), Date.now()),
    asked: (approval) => toasts.asked(approval),
    dispose: () => store.dispose(),
  };
}

/** Not modal. Notifications disappear, but the request stays in the view. */
async function showToast(text: string, { subject }: PendingApproval): Promise<ApprovalChoice | undefined> {
  const buttons = answersTo(subject).map(({ choice, title }) => ({ title, choice }));
  return (await notify({ severity: 'warning', text, buttons }))?.choice;
}
