import * as vscode from 'vscode';
import {
  type CancellationToken,
  HostError,
  ignoreFailure,
  type LineageKey,
  type LineageSummary,
  type RollbackPlan,
  type RollbackResult,
} from '../../core/index.ts';
import { isSame } from './lineageController.ts';
import type { LineageContext } from './lineageContext.ts';
import { lineageText, titleText } from './lineageText.ts';
import { COMMANDS } from '../shared/ids.ts';
import {
  CHOICE_TITLES,
  continuedText,
  continueQuestion,
  OFFER_TITLES,
  type OutcomeOffer,
  type RollbackChoice,
  type RollbackFacts,
  rollbackOutcome,
  type RollbackQuestion,
  rollbackQuestion,
} from './rollbackText.ts';
import { notify } from '../shared/notify.ts';
import { cancellableProgress } from '../shared/progress.ts';

/** The outcome as a sentence. `undefined` if the user cancelled. */
export type RollbackMessage = string | undefined;

/**
 * Asks the user, then the server, and reports the outcome. `asking` is set for a request of a model, and cancels with
 * it.
 */
export async function rollBack(
  context: LineageContext,
  rowId: number,
  asking?: CancellationToken,
): Promise<RollbackMessage> {
  const { lineages } = context.host;
  const plan = await lineages.plan(rowId);
  const question = rollbackQuestion(plan, factsOf(context, plan));
  const chosen = await choose(context, question, asking !== undefined);
  if (chosen === undefined || asking?.isCancellationRequested === true) return undefined;
  if (chosen === 'continue') return continueAndReport(context, plan);
  const title = vscode.l10n.t('Rolling {0} back to {1}…', lineageText(plan), titleText(plan.target));
  return notifyOutcome(context, plan, await cancellableProgress(title, (token) => lineages.rollBack(rowId, { token })));
}

/** Asks the user and continues from there, without the server. */
export async function continueFrom(context: LineageContext, rowId: number): Promise<RollbackMessage> {
  const plan = await context.host.lineages.plan(rowId);
  const chosen = await choose(context, continueQuestion(plan, factsOf(context, plan)));
  return chosen === undefined ? undefined : continueAndReport(context, plan);
}

/** Removes the block of the next call. No good state is lost, so there is no prompt. */
export async function continueFromLastGood(context: LineageContext, summary: LineageSummary): Promise<RollbackMessage> {
  const { head, blocked } = summary;
  if (blocked === undefined) {
    return notifyText(vscode.l10n.t('Calls of {0} are not blocked.', lineageText(summary)));
  }
  if (head === undefined)
    throw new HostError('INVALID_ARGUMENTS', vscode.l10n.t('There is no good checkpoint to continue from.'), {
      layer: 'host',
      suggestion: vscode.l10n.t('Forget the lineage to start again.'),
    });
  await context.host.lineages.continueFrom(head.place);
  return notifyText(
    vscode.l10n.t(
      '{0} That state lacks the changes that the server made with {1}.',
      continuedText(summary, head),
      titleText(blocked),
    ),
  );
}

function factsOf({ host }: LineageContext, key: LineageKey): RollbackFacts {
  const keeper = host.lineages.list().find((each) => isSame(each, key))?.keeper ?? 'host';
  return { keeper, now: Date.now() };
}

async function choose(
  { ask }: LineageContext,
  { message, detail, choices }: RollbackQuestion,
  isByModel = false,
): Promise<RollbackChoice | undefined> {
  const titles = choices.map((choice) => CHOICE_TITLES[choice]);
  const who = vscode.l10n.t('A language model asks for this, by a tool call in a chat.');
  const question = isByModel
    ? { message, detail: `${who}\n\n${detail}`, titles, refusal: vscode.l10n.t('Stay Here') }
    : { message, detail, titles };
  const title = await ask(question);
  return choices.find((choice) => CHOICE_TITLES[choice] === title);
}

async function continueAndReport({ host }: LineageContext, plan: RollbackPlan): Promise<string> {
  await host.lineages.continueFrom(plan.target.place);
  return notifyText(continuedText(plan, plan.target));
}

function notifyText(text: string): string {
  void notify({ severity: 'info', text });
  return text;
}

function notifyOutcome(context: LineageContext, plan: RollbackPlan, result: RollbackResult): string {
  const { text, isGood, offers } = rollbackOutcome(plan, result);
  const buttons = offers.map((offer) => ({ title: OFFER_TITLES[offer], run: () => followUp(context, plan, offer) }));
  ignoreFailure(notify({ severity: isGood ? 'info' : 'warning', text, buttons }));
  return text;
}

function followUp(context: LineageContext, plan: RollbackPlan, offer: OutcomeOffer): void {
  const { server } = plan;
  if (offer === 'showLog') return context.logs.showServer(server);
  if (offer === 'showLineage')
    return void vscode.commands.executeCommand(COMMANDS.lineageShow, { server, featureSet: plan.featureSet });
  continueAndReport(context, plan).catch((error: unknown) =>
    context.failures.show(vscode.l10n.t('{0} did not continue from there', lineageText(plan)), error, { server }),
  );
}
