import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Host,
  type Logger,
  mapTexts,
  messageOf,
  toHostError,
  withoutOurTags,
} from '../../core/index.ts';
import { planText } from '../chat/chatCheckpoints.ts';
import { escaped } from '../shared/plainText.ts';
import { listCheckpoints, type PlannedRollback, planRollback } from './controlCheckpoints.ts';
import { readEvents } from './controlEvents.ts';
import { InputProblem, readCheckpointsRequest, readEventsRequest, readRollbackRequest } from './controlInputs.ts';
import { type ControlResult, failure } from './controlResult.ts';
import { CONTROL_TOOLS, type ControlToolName } from '../shared/ids.ts';

interface RollbackActions {
  rollBack(argument: unknown): Promise<string | undefined | void>;
}

export interface ControlContext {
  readonly host: Pick<Host, 'events' | 'lineages' | 'redact'>;
  readonly log: Logger;
  /** Confirms and runs rollbacks. */
  readonly lineage: { ui(): Promise<{ readonly actions: RollbackActions }> };
}

/** Maximum characters of one answer. The rest goes on another page. */
const MAX_CHARACTERS = 24_000;
const MIN_CHARACTERS = 1_000;
/** Fewer characters than a token has in most texts, so that the result fits. */
const PER_TOKEN = 3;

/** The editor's texts before and during a call. Changes require a confirmation. */
export async function prepareTool(
  { host }: ControlContext,
  name: ControlToolName,
  input: unknown,
): Promise<vscode.PreparedToolInvocation> {
  if (name === CONTROL_TOOLS.listCheckpoints)
    return { invocationMessage: vscode.l10n.t('Listing checkpoints of servers') };
  const reading = vscode.l10n.t('Reading events of servers');
  const going = vscode.l10n.t('Going back to a checkpoint');
  try {
    if (name === CONTROL_TOOLS.readEvents) {
      if (!readEventsRequest(input).markRead) return { invocationMessage: reading };
      const title = vscode.l10n.t('Mark Events as Read?');
      const message = vscode.l10n.t(
        'The model reads the newest events of your servers, and they count as read afterwards. They stay in the Events view.',
      );
      return { invocationMessage: reading, confirmationMessages: { title, message } };
    }
    const planned = await planRollback(host.lineages, readRollbackRequest(input), Date.now());
    if (planned.kind === 'cannot') return { invocationMessage: going };
    return { invocationMessage: going, confirmationMessages: confirmation(planned) };
  } catch {
    // The following call returns the same failure to the model.
    return { invocationMessage: name === CONTROL_TOOLS.readEvents ? reading : going };
  }
}

/** Summary first, because the editor collapses long text. Markdown is escaped. */
function confirmation({ plan, question }: PlannedRollback & { readonly kind: 'ask' }): {
  readonly title: string;
  readonly message: vscode.MarkdownString;
} {
  const detail = escaped(question.detail).replace(/(?<!\n)\n(?!\n)/g, '  \n');
  return { title: escaped(question.message), message: new vscode.MarkdownString(`${planText(plan)}\n\n${detail}`) };
}

export async function invokeTool(
  context: ControlContext,
  name: ControlToolName,
  { input, tokenizationOptions }: vscode.LanguageModelToolInvocationOptions<unknown>,
  token: CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
  const budget = (tokenizationOptions?.tokenBudget ?? Infinity) * PER_TOKEN;
  const most = Math.max(MIN_CHARACTERS, Math.min(MAX_CHARACTERS, budget));
  const { text, data } = await run(context, name, input, most, token).catch((error: unknown) =>
    failureResult(context, error),
  );
  const redact = (text: string): string => context.host.redact(text);
  return new vscode.LanguageModelToolResult([
    new vscode.LanguageModelTextPart(redact(text)),
    // Otherwise the editor uses a different MIME type than documented.
    vscode.LanguageModelDataPart.json(mapTexts(data, redact), 'application/json'),
  ]);
}

async function run(
  context: ControlContext,
  name: ControlToolName,
  input: unknown,
  most: number,
  token: CancellationToken,
): Promise<ControlResult> {
  const { events, lineages } = context.host;
  switch (name) {
    case CONTROL_TOOLS.readEvents:
      return readEvents(events, readEventsRequest(input), most);
    case CONTROL_TOOLS.listCheckpoints:
      return listCheckpoints(lineages, readCheckpointsRequest(input), Date.now());
    case CONTROL_TOOLS.rollBack:
      return rollBack(context, input, token);
  }
}

/**
 * The editor's confirmation can be disabled for all tools, so the command's own prompt is shown as well. Moves the head
 * of all conversations without their own, as the command does: a call's conversation cannot be determined reliably.
 */
async function rollBack(
  { host, lineage }: ControlContext,
  input: unknown,
  token: CancellationToken,
): Promise<ControlResult> {
  const planned = await planRollback(host.lineages, readRollbackRequest(input), Date.now());
  if (planned.kind === 'cannot') return failure(planned.why);
  const { server, featureSet, target } = planned.plan;
  const { actions } = await lineage.ui();
  const outcome = await actions.rollBack({ place: target.place, askedByModel: token });
  const head = host.lineages.list().find((each) => each.server === server && each.featureSet === featureSet)?.head;
  const data = {
    server,
    featureSet,
    ...(head === undefined ? {} : { current: head.place, checkpoint: head.checkpoint }),
  };
  if (typeof outcome !== 'string')
    return { text: 'The user did not agree: nothing was rolled back. Do not ask again on your own.', data };
  return { text: `${withoutOurTags(outcome)} Words in quotation marks are those of the server.`, data };
}

function failureResult({ log }: ControlContext, error: unknown): ControlResult {
  if (error instanceof InputProblem) return failure(error.message);
  log.log('warn', `A control tool failed: ${messageOf(error)}`);
  const { message, suggestion = '' } = toHostError(error);
  return failure(`${message} ${suggestion}`.trim());
}
