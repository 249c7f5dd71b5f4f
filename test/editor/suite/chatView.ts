import * as vscode from 'vscode';
import type { RecordedPart, RecordedRequest } from '../../extensions/fakeModel/api.ts';
import { person } from '../person.ts';
import { mcpLive, setServers, untilServer } from './mcpLive.ts';

export const ANSWERS = '.interactive-response .value';

/** A part of the demo server as a separate server. */
export interface DemoPart {
  readonly part: 'notes' | 'memory' | 'compliance' | 'state';
  /** A name other than the part's, because choices of sets are stored with their declarations. */
  readonly id?: string;
  readonly sets: readonly string[];
  readonly rest?: object;
}

export const startParts = async (...parts: readonly DemoPart[]): Promise<void> => {
  const entries = parts.map(({ part, id = part, sets, rest }) => [
    id,
    { command: 'mcpl-demo', args: [part], enabled: true, featureSets: { enabled: sets }, ...rest },
  ]);
  await setServers(Object.fromEntries(entries) as object);
  for (const { part, id = part, sets } of parts)
    await untilServer(id, 'with its sets on', (server) => {
      const on = server?.mcpl?.sets.filter(({ state }) => state === 'enabled').map(({ set }) => set.name) ?? [];
      return server?.state.kind === 'running' && sets.every((name) => on.includes(name));
    });
};

export const say = async (text: string, rest: object = {}): Promise<void> => {
  const query = `@mcpl ${text}`;
  await vscode.commands.executeCommand('workbench.action.chat.open', { query, isPartialQuery: false, ...rest });
};

/** The visible answers in the chat, one line each. */
export const answers = async (): Promise<readonly string[]> =>
  (await person.texts(ANSWERS)).map((text) =>
    text.replace(/\s+/g, ' ').replace(/^Completed \d+ steps?( in \S+)? /, ''),
  );

export const lastAnswer = async (): Promise<string> => (await answers()).at(-1) ?? '';

/** Waits until the turn is over, so that the next one starts at once. */
export const untilOver = (): Promise<void> =>
  person.waitFor('.interactive-response.chat-most-recent-response:not(.chat-response-loading)');

/** Clicks a link of the last question about a tool. The links appear with the complete question. */
export const answerInChat = async (answer: string): Promise<void> => {
  const response = '.interactive-response.chat-most-recent-response';
  await person.waitFor(`${response} :text("Waiting for your answer")`);
  const link = `a[data-href^="command:_mcpl"]:text-is(${JSON.stringify(answer)})`;
  await person.click(`${response} ${link} >> nth=-1`);
};

export const clickInChat = (button: string): Promise<void> =>
  person.click(`.interactive-response.chat-most-recent-response .monaco-button:has-text(${JSON.stringify(button)})`);

const partText = (part: RecordedPart): string => {
  switch (part.kind) {
    case 'text':
      return part.value;
    case 'toolCall':
      return `<call ${part.name} ${JSON.stringify(part.input)}>`;
    case 'toolResult':
      return `<result ${part.content.map(partText).join('|')}>`;
    case 'data':
      return `<${part.mimeType}>`;
    case 'unknown':
      return `<unknown ${JSON.stringify(part.value)}>`;
  }
};

/** The model's input, one line per message. */
export const textsOf = ({ messages }: RecordedRequest): readonly string[] =>
  messages.map(({ role, content }) => `${role}: ${content.map(partText).join('')}`);

export const paramsOf = async (server: string, method: string): Promise<readonly Record<string, unknown>[]> => {
  const { host } = await mcpLive();
  return host
    .trace(server)
    .entries(0, 1_000, { text: method, direction: 'sent' })
    .map(({ text }) => (JSON.parse(text) as { readonly params: Record<string, unknown> }).params);
};
