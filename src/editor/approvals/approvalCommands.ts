import * as vscode from 'vscode';
import {
  type ApprovalChoice,
  HostError,
  isObject,
  messageOf,
  type PendingApproval,
  plural,
  type ApprovalGrant,
  subjectText,
} from '../../core/index.ts';
import { notify } from '../shared/notify.ts';
import { plainText } from '../shared/plainText.ts';
import { pick, withoutIcons } from '../shared/quickPicker.ts';
import { type OpenFolder, openFolders } from '../shared/workspaceFolders.ts';
import type { ApprovalContext, ApprovalServices } from './approvalContext.ts';
import type { ApprovalDocuments } from './approvalDocuments.ts';
import { endText } from './approvalNodes.ts';
import { answersTo, approvalsJson } from './approvalPage.ts';
import { allowedText, approvalText, expiryText, wantedText, whoText } from './approvalText.ts';

type ApprovalAction =
  | 'answer'
  | 'open'
  | 'allowOnce'
  | 'allowSession'
  | 'allowWorkspace'
  | 'deny'
  | 'copyTarget'
  | 'revoke'
  | 'changeExpiry'
  | 'review'
  | 'revokeAll'
  | 'export';

export type ApprovalActions = Readonly<
  Record<ApprovalAction, (argument: unknown, selection: unknown) => Promise<void>>
>;

const DAY = 86_400_000;

/** The commands for approvals. */
export function approvalActions(context: ApprovalContext, documents: ApprovalDocuments): ApprovalActions {
  const { approvals } = context.host;
  // Allow only applies to the clicked row. Deny and revoke apply to all selected rows.
  const allow = (choice: ApprovalChoice) => async (argument: unknown) => {
    const approval = (await pendingOf(context, argument, [argument]))[0];
    if (approval !== undefined) await answer(context, approval, choice);
  };
  return {
    answer: (argument) => answerChosen(context, documents, argument),
    open: (argument) => openChosen(context, documents, argument),
    allowOnce: allow('once'),
    allowSession: allow('session'),
    allowWorkspace: allow('workspace'),
    deny: async (argument, selection) => {
      for (const approval of await pendingOf(context, argument, rowsOf(argument, selection)))
        await answer(context, approval, 'deny');
    },
    copyTarget: async (argument, selection) => {
      const rows = rowsOf(argument, selection);
      const waiting = approvals.pending().filter(({ id }) => isNamed(rows, 'approval', id));
      const targets = [
        ...waiting.flatMap(({ subject }) => subjectText(subject).targets.map(({ real }) => real)),
        ...grantsOf(context, rows).flatMap((grant) => grant.targets),
      ];
      if (targets.length > 0) await vscode.env.clipboard.writeText([...new Set(targets)].join('\n'));
      else void notify({ severity: 'info', text: vscode.l10n.t('There is no target to copy.') });
    },
    revoke: async (argument, selection) => revoke(context, await chosenGrants(context, argument, selection)),
    changeExpiry: async (argument, selection) =>
      changeExpiry(context, await chosenGrants(context, argument, selection)),
    review: () => review(context),
    revokeAll: async () => {
      await approvals.loaded();
      if (approvals.remembered().length === 0) notifyNoGrants();
      else await revoke(context, approvals.remembered(), vscode.l10n.t('Revoke All'));
    },
    export: () => exportApprovals(context),
  };
}

async function answer(
  { host, late, notKept }: ApprovalContext,
  approval: PendingApproval,
  choice: ApprovalChoice,
): Promise<void> {
  try {
    if (!(await host.approvals.answer(approval.id, choice))) late(approval.id);
  } catch (error) {
    notKept(approval, error);
  }
}

/** Picks a request and then an answer, for keyboard use. */
async function answerChosen(context: ApprovalContext, documents: ApprovalDocuments, argument: unknown): Promise<void> {
  const approval = await chosenRequest(context, argument);
  if (approval === undefined) return;
  const answers = answersTo(approval.subject).map(({ choice, name, meaning }) => ({
    label: name,
    detail: meaning,
    choice,
  }));
  const details = {
    label: vscode.l10n.t('Show Details'),
    detail: vscode.l10n.t('All targets and the data from the server, as text. The request keeps waiting.'),
    choice: undefined,
  };
  const taken = await vscode.window.showQuickPick([...answers, details], {
    title: withoutIcons(approvalText(approval, openFolders())),
    placeHolder: vscode.l10n.t('Choose your answer. {0}', expiryText(approval)),
  });
  if (taken === undefined) return;
  if (taken.choice === undefined) await documents.open({ kind: 'approval', id: approval.id, server: approval.server });
  else await answer(context, approval, taken.choice);
}

async function chosenRequest(context: ApprovalContext, argument: unknown): Promise<PendingApproval | undefined> {
  if (idOf(argument, 'approval') !== undefined) return (await pendingOf(context, argument, [argument]))[0];
  const folders = openFolders();
  const items = context.host.approvals.pending().map((approval) => ({
    label: withoutIcons(wantedText(approval.subject, folders)),
    description: withoutIcons(whoText(approval.server, approval.featureSet)),
    detail: withoutIcons(approvalText(approval, folders)),
    approval,
  }));
  const placeHolder = vscode.l10n.t('Which request do you want to answer?');
  return (await pick(items, placeHolder, vscode.l10n.t('Nothing waits for your approval.')))?.approval;
}

/** The grants of the given rows. Without a row the user picks one: a click on a row that is being repainted names none. */
async function chosenGrants(
  context: ApprovalContext,
  argument: unknown,
  selection: unknown,
): Promise<readonly ApprovalGrant[]> {
  const rows = rowsOf(argument, selection);
  if (rows.some((row) => idOf(row, 'grant') !== undefined)) return grantsOf(context, rows);
  await context.host.approvals.loaded();
  const now = Date.now();
  const folders = openFolders();
  const items = context.host.approvals.remembered().map((grant) => ({ ...grantItem(grant, folders, now), grant }));
  const taken = await pick(items, vscode.l10n.t('Which approval?'), vscode.l10n.t('No approval is remembered.'));
  return taken === undefined ? [] : [taken.grant];
}

function grantItem(grant: ApprovalGrant, folders: readonly OpenFolder[], now: number): vscode.QuickPickItem {
  return {
    label: withoutIcons(allowedText(grant, folders)),
    description: withoutIcons(`${whoText(grant.server, grant.featureSet)} · ${endText(grant, now)}`),
  };
}

async function openChosen(context: ApprovalContext, documents: ApprovalDocuments, argument: unknown): Promise<void> {
  const { approvals } = context.host;
  const approval = idOf(argument, 'approval');
  const grant = idOf(argument, 'grant');
  const known =
    approval === undefined
      ? approvals.remembered().find(({ id }) => id === grant)
      : approvals.pending().find(({ id }) => id === approval);
  if (known === undefined)
    throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('It is no longer there.'), { layer: 'host' });
  await documents.open({ kind: approval === undefined ? 'grant' : 'approval', id: known.id, server: known.server });
}

/** Confirms before revoking several approvals, because only new requests can bring them back. */
async function revoke(context: ApprovalContext, grants: readonly ApprovalGrant[], button?: string): Promise<void> {
  const [only] = grants;
  if (only === undefined) return;
  if (grants.length > 1 || button !== undefined) {
    const text = vscode.l10n.t('Revoke {0}?', plural(grants.length, 'approval'));
    const modalDetail =
      grants.length === 1
        ? vscode.l10n.t('You are asked again about its requests. This cannot be undone.')
        : vscode.l10n.t('You are asked again about their requests. This cannot be undone.');
    const yes = { title: button ?? vscode.l10n.t('Revoke') };
    if ((await notify({ severity: 'warning', text, modalDetail, buttons: [yes] })) !== yes) return;
  }
  await context.host.approvals.revoke(grants.map(({ id }) => id));
  const message =
    grants.length === 1
      ? vscode.l10n.t('Revoked: {0}', withoutIcons(allowedText(only, openFolders())))
      : vscode.l10n.t('Revoked {0} approvals', grants.length);
  vscode.window.setStatusBarMessage(message, 5_000);
}

async function changeExpiry({ host }: ApprovalContext, grants: readonly ApprovalGrant[]): Promise<void> {
  if (grants.length === 0) return;
  const lasting = grants.filter(({ lifetime }) => lifetime === 'workspace');
  const [first] = lasting;
  if (first === undefined) {
    const text = vscode.l10n.t('An approval for this session ends with the session. Its expiry cannot be changed.');
    void notify({ severity: 'info', text });
    return;
  }
  const items = [
    { label: vscode.l10n.t('1 day'), days: 1 },
    { label: vscode.l10n.t('1 week'), days: 7 },
    { label: vscode.l10n.t('30 days'), days: 30 },
    { label: vscode.l10n.t('90 days'), days: 90 },
    { label: vscode.l10n.t('Until revoked'), days: undefined },
  ];
  const now = Date.now();
  const placeHolder =
    lasting.length === 1
      ? vscode.l10n.t('How long, from now? It holds {0} so far.', endText(first, now))
      : vscode.l10n.t('How long, from now, should these {0} approvals hold?', lasting.length);
  const taken = await vscode.window.showQuickPick(items, { placeHolder });
  if (taken === undefined) return;
  const until = taken.days === undefined ? undefined : now + taken.days * DAY;
  await host.approvals.setExpiry(
    lasting.map(({ id }) => id),
    until,
  );
}

/** Shows all stored approvals as checked. Unchecking one revokes it. */
async function review(context: ApprovalContext): Promise<void> {
  const { approvals } = context.host;
  await approvals.loaded();
  const folders = openFolders();
  const now = Date.now();
  const items = approvals.remembered().map((grant) => ({
    ...grantItem(grant, folders, now),
    picked: true,
    id: grant.id,
  }));
  if (items.length === 0) {
    notifyNoGrants();
    return;
  }
  const kept = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t('Review Approvals'),
    placeHolder: vscode.l10n.t('Which approvals do you want to keep? Clear an approval to revoke it.'),
    canPickMany: true,
    matchOnDescription: true,
  });
  if (kept === undefined) return;
  const keeps = new Set(kept.map(({ id }) => id));
  const shown = new Set(items.map(({ id }) => id));
  await revoke(
    context,
    approvals.remembered().filter(({ id }) => shown.has(id) && !keeps.has(id)),
  );
}

function notifyNoGrants(): void {
  void notify({ severity: 'info', text: vscode.l10n.t('No approval is remembered.') });
}

/** The pending requests of the given rows. Without a row the user picks one. Reports rows that are out of date. */
async function pendingOf(
  context: ApprovalContext,
  argument: unknown,
  rows: readonly unknown[],
): Promise<readonly PendingApproval[]> {
  const id = idOf(argument, 'approval');
  if (id === undefined) {
    const chosen = await chosenRequest(context, undefined);
    return chosen === undefined ? [] : [chosen];
  }
  const found = context.host.approvals.pending().filter((approval) => isNamed(rows, 'approval', approval.id));
  if (found.length === 0) context.late(id);
  return found;
}

function grantsOf({ host }: ApprovalContext, rows: readonly unknown[]): readonly ApprovalGrant[] {
  return host.approvals.remembered().filter(({ id }) => isNamed(rows, 'grant', id));
}

/** The editor passes the clicked row, and all selected ones if it is among them. */
function rowsOf(argument: unknown, selection: unknown): readonly unknown[] {
  const selected: readonly unknown[] = Array.isArray(selection) ? selection : [];
  return [argument, ...selected];
}

function isNamed(rows: readonly unknown[], key: 'approval' | 'grant', id: string): boolean {
  return rows.some((row) => idOf(row, key) === id);
}

function idOf(row: unknown, key: 'approval' | 'grant'): string | undefined {
  const id = isObject(row) ? row[key] : undefined;
  return typeof id === 'string' ? id : undefined;
}

/** Maximum decisions in an export, newest first. The audit log has all. */
const MAX_DECISIONS = 10_000;

/** Asks for a file, and exports grants and decisions to it. */
async function exportApprovals({ host, log }: Pick<ApprovalServices, 'host' | 'log'>): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t('Export Approvals'),
    saveLabel: vscode.l10n.t('Export'),
    filters: { JSON: ['json'] },
    ...(folder === undefined ? {} : { defaultUri: vscode.Uri.joinPath(folder, 'mcpl-approvals.json') }),
  });
  if (target === undefined) return;
  const { approvals } = host;
  await approvals.loaded();
  const remembered = approvals.remembered();
  const history = await approvals.history(MAX_DECISIONS);
  // Half an export must not take the place of a whole one.
  const part = target.with({ path: `${target.path}.part` });
  try {
    await vscode.workspace.fs.writeFile(part, Buffer.from(approvalsJson(remembered, history, Date.now())));
    await vscode.workspace.fs.rename(part, target, { overwrite: true });
  } catch (error) {
    await vscode.workspace.fs.delete(part).then(undefined, (left: unknown) => {
      log.log('debug', `Nothing of an export was left: ${messageOf(left)}`);
    });
    throw error;
  }
  const counts = [plural(remembered.length, 'approval'), plural(history.length, 'decision')] as const;
  const text = vscode.l10n.t('Exported {0} and {1} to {2}.', ...counts, plainText(target.path));
  const buttons = [{ title: vscode.l10n.t('Open'), run: () => vscode.window.showTextDocument(target) }];
  void notify({ severity: 'info', text, buttons });
}
