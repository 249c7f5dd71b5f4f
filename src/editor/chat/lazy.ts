import * as vscode from 'vscode';
import { canStart, type Host, type Logger, messageOf, type ServerSnapshot, toHostError } from '../../core/index.ts';
import { eventTitle } from '../shared/eventText.ts';
import { COMMANDS } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import { escaped, plainText } from '../shared/plainText.ts';
import { stateWords } from '../shared/serverStateText.ts';
import type { EditorServices } from '../shared/services.ts';
import { eventQuestion, listEvents } from './chatEvents.ts';
import { keptIn } from './chatHistory.ts';
import { answerLineage, isLineageCommand } from './chatLineage.ts';
import { ToolQuestions } from './chatToolQuestion.ts';
import { answerTurn, type ChatTurn } from './chatTurn.ts';
import { ChatWriter } from './chatWriter.ts';

export type ChatServices = Pick<EditorServices, 'host' | 'log' | 'settings'>;

/** The implementation of `@mcpl`, loaded with the first turn. */
export interface Chat {
  answer(turn: ChatTurn): Promise<vscode.ChatResult>;
  followups(result: vscode.ChatResult): readonly vscode.ChatFollowup[];
  /** Handles a button of a tool question. */
  answerQuestion(id: unknown, answer: unknown): void;
}

export function openChat({ host, log, settings }: ChatServices): Chat {
  const questions = new ToolQuestions({ settings, host });
  const tools = { host, log, questions };
  return {
    answer: async (turn) => {
      const { command, prompt } = turn.request;
      // Answers to these commands do not belong to the conversation with the model.
      if (isLineageCommand(command))
        return withFailureShown(log, turn, () => answerLineage(tools, command, prompt, turn.response));
      if (command === 'servers')
        return withFailureShown(log, turn, async () => listServers(host, prompt, new ChatWriter(turn.response)));
      if (command !== 'events') return answerTurn(tools, turn);
      await host.events.loaded();
      const question = eventQuestion(host, prompt);
      if (question === undefined)
        return withFailureShown(log, turn, async () => listEvents(host, prompt, new ChatWriter(turn.response)));
      const result = await answerTurn(tools, turn, question);
      if (result.errorDetails === undefined && !turn.token.isCancellationRequested)
        await host.events.markRead(question.events.map(({ id }) => id));
      return result;
    },
    followups: (result) => followups(host, result, log),
    answerQuestion: (id, answer) => {
      if (!questions.answer(id, answer))
        void notify({ severity: 'info', text: vscode.l10n.t('This question was answered already, or is over.') });
    },
  };
}

async function withFailureShown(
  log: Logger,
  { response }: ChatTurn,
  answer: () => Promise<void>,
): Promise<vscode.ChatResult> {
  try {
    await answer();
  } catch (error) {
    const { message, suggestion = '' } = toHostError(error);
    log.log('warn', `A chat command failed: ${messageOf(error)}`);
    response.markdown(escaped(plainText(`${message} ${suggestion}`.trim(), 600)));
  }
  return {};
}

const MAX_CHECKPOINTS = 2;

/** Suggested next prompts, depending on the outcome of the turn. */
function followups(
  { events }: Pick<Host, 'events'>,
  result: vscode.ChatResult,
  log: Logger,
): readonly vscode.ChatFollowup[] {
  try {
    const { isUnfinished, checkpoints } = keptIn(result.metadata);
    const names = Array.isArray(checkpoints) ? checkpoints.filter((name) => typeof name === 'string') : [];
    const goOn = vscode.l10n.t('Continue');
    const unread = events.list().find(({ isRead }) => !isRead);
    return [
      ...(isUnfinished === true ? [{ prompt: goOn, label: goOn }] : []),
      ...names.slice(0, MAX_CHECKPOINTS).map((name) => ({
        prompt: name,
        command: 'rollback',
        label: vscode.l10n.t('Roll back to {0}', plainText(name, 60)),
      })),
      ...(unread === undefined
        ? []
        : [
            {
              prompt: unread.id,
              command: 'events',
              label: vscode.l10n.t('Look at "{0}"', plainText(eventTitle(unread), 60)),
            },
          ]),
    ];
  } catch (error) {
    log.log('warn', `Nothing can be proposed after an answer: ${messageOf(error)}`);
    return [];
  }
}

const MAX_LISTED = 20;

/** `@mcpl /servers`: lists servers with their actions. Uses no model. */
function listServers(host: Pick<Host, 'servers'>, prompt: string, writer: ChatWriter): void {
  const { stream } = writer;
  const all = host.servers();
  if (all.length === 0) {
    stream.markdown(vscode.l10n.t('No server is set up yet. Run "MCP Live: Add Server…".'));
    writer.links([
      { command: COMMANDS.serverAdd, title: vscode.l10n.t('Add Server') },
      { command: COMMANDS.demoTry, title: vscode.l10n.t('Try the Demo Server') },
    ]);
    return;
  }
  const wanted = prompt.trim().toLowerCase();
  const named = all.filter(({ id }) => wanted === '' || id.toLowerCase() === wanted);
  if (named.length === 0) stream.markdown(`${escaped(plainText(`There is no server "${prompt.trim()}".`, 200))}\n\n`);
  const shown = (named.length === 0 ? all : named).slice(0, MAX_LISTED);
  for (const server of shown) {
    stream.markdown(`\n\n${serverText(server)}\n\n`);
    writer.links(actions(server));
  }
  if (all.length > shown.length && wanted === '')
    stream.markdown(`\n\n${vscode.l10n.t('The Servers view has all {0} of them.', all.length)}`);
}

/** As Markdown, with server text escaped. */
function serverText(server: ServerSnapshot): string {
  const { id, state, mcpl, tools } = server;
  const offered = tools.filter(({ offered: isOffered, setOff }) => isOffered && setOff === undefined);
  const asking = offered.filter(({ autoApproved }) => !autoApproved).length;
  const sets = mcpl?.sets ?? [];
  const on = sets.filter((set) => set.state === 'enabled').map(({ set }) => plainText(set.name, 100));
  const error = state.kind === 'failed' || state.kind === 'restarting' ? state.error.message : undefined;
  const lines = [
    `**${escaped(plainText(id, 64))}** ${escaped(stateWords(server))}`,
    ...(error === undefined ? [] : [escaped(plainText(error, 300))]),
    ...(state.kind === 'running' ? [escaped(toolsText(offered.length, tools.length, asking))] : []),
    ...(sets.length === 0 || state.kind !== 'running' ? [] : [escaped(setsText(on, sets.length))]),
  ];
  return lines.join('  \n');
}

function toolsText(offered: number, all: number, asking: number): string {
  if (all === 0) return 'No tools';
  const asks = asking === 0 ? 'none asks first' : `${asking === offered ? 'each asks' : `${asking} ask`} first`;
  return `${offered} of ${all} tools for models; ${asks}`;
}

function setsText(on: readonly string[], all: number): string {
  if (on.length === 0) return `None of ${all} feature sets is on`;
  return `Feature sets that are on (${on.length} of ${all}): ${on.join(', ')}`;
}

function actions({ id, state, mcpl, enabled }: ServerSnapshot): readonly vscode.Command[] {
  const given = [{ server: id }];
  return [
    ...(enabled && canStart(state)
      ? [{ command: COMMANDS.serverStart, title: vscode.l10n.t('Start'), arguments: given }]
      : []),
    ...(enabled ? [] : [{ command: COMMANDS.serverEnable, title: vscode.l10n.t('Enable'), arguments: given }]),
    ...((mcpl?.sets.length ?? 0) === 0
      ? []
      : [{ command: COMMANDS.featureSetsChoose, title: vscode.l10n.t('Choose Feature Sets'), arguments: given }]),
    { command: COMMANDS.serverShowLog, title: vscode.l10n.t('Show Log'), arguments: given },
  ];
}
