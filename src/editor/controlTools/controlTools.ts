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
import { InputProblem, readCheckpointsWish, readEventsWish, readRollbackWish } from './controlInputs.ts';
import { type ControlResult, failure } from './controlResult.ts';
import { CONTROL_TOOLS, type ControlToolName } from '../shared/ids.ts';

interface RollbackActions {
  rollBack(argument: unknown): Promise<string | undefined | void>;
}

export interface ControlContext {
  readonly host: Pick<Host, 'events' | 'lineages' | 'redact'>;
  readonly log: Logger;
  /** Where rollbacks are asked about and done. */
  readonly lineage: { desk(): Promise<{ readonly actions: RollbackActions }> };
}

/** Of one answer: more than this is another page. */
const MOST_CHARACTERS = 24_000;
const LEAST_CHARACTERS = 1_000;
/** Fewer than a token has in most texts, so that what is promised fits. */
const PER_TOKEN = 3;

/** What the editor shows before and while a tool runs. What changes something is asked about. */
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
      if (!readEventsWish(input).markRead) return { invocationMessage: reading };
      const title = vscode.l10n.t('Mark Events as Read?');
      const message = vscode.l10n.t(
        'The model reads the newest events of your servers, and they count as read afterwards. They stay in the Events view.',
      );
      return { invocationMessage: reading, confirmationMessages: { title, message } };
    }
    const planned = await planRollback(host.lineages, readRollbackWish(input), Date.now());
    if (planned.kind === 'cannot') return { invocationMessage: going };
    return { invocationMessage: going, confirmationMessages: confirmation(planned) };
  } catch {
    // The same failure is the result of the call that follows, where the model can read it.
    return { invocationMessage: name === CONTROL_TOOLS.readEvents ? reading : going };
  }
}

/** In short first: the editor shows a few lines, and all of it only to who asks for more. Nothing in it is markdown. */
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
  const most = Math.max(LEAST_CHARACTERS, Math.min(MOST_CHARACTERS, budget));
  const { text, data } = await run(context, name, input, most, token).catch((error: unknown) => told(context, error));
  const redact = (text: string): string => context.host.redact(text);
  return new vscode.LanguageModelToolResult([
    new vscode.LanguageModelTextPart(redact(text)),
    // Without a type the editor says another one than it documents.
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
      return readEvents(events, readEventsWish(input), most);
    case CONTROL_TOOLS.listCheckpoints:
      return listCheckpoints(lineages, readCheckpointsWish(input), Date.now());
    case CONTROL_TOOLS.rollBack:
      return rollBack(context, input, token);
  }
}

/**
 * The editor's own confirmation can be switched off for all tools, so the person is asked here as well, by the question
 * of the command. It is the head of all conversations without their own that moves, as by the command: which
 * conversation a call belongs to is not told in a way that can be relied on.
 */
async function rollBack(
  { host, lineage }: ControlContext,
  input: unknown,
  token: CancellationToken,
): Promise<ControlResult> {
  const planned = await planRollback(host.lineages, readRollbackWish(input), Date.now());
  if (planned.kind === 'cannot') return failure(planned.why);
  const { server, featureSet, target } = planned.plan;
  const { actions } = await lineage.desk();
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

function told({ log }: ControlContext, error: unknown): ControlResult {
  if (error instanceof InputProblem) return failure(error.message);
  log.log('warn', `A control tool failed: ${messageOf(error)}`);
  const { message, suggestion = '' } = toHostError(error);
  return failure(`${message} ${suggestion}`.trim());
}
