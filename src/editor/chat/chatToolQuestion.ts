import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import {
  canonicalJson,
  clip,
  type Host,
  type JsonObject,
  type OfferedTool,
  type ServerSnapshot,
  trustedText,
} from '../../core/index.ts';
import { ANSWER_TOOL_QUESTION, COMMANDS } from '../shared/ids.ts';
import { escaped, plainText } from '../shared/plainText.ts';
import type { EditorServices } from '../shared/services.ts';
import { toJson } from '../shared/settingsJson.ts';
import { toolHints } from '../shared/toolHints.ts';
import type { ChatTool } from './chatTools.ts';
import type { ChatWriter } from './chatWriter.ts';

type ServerTool = Extract<ChatTool, { readonly kind: 'server' }>;

const TOOL_ANSWERS = ['once', 'chat', 'always', 'deny'] as const;
type ToolAnswer = (typeof TOOL_ANSWERS)[number];

type Permission =
  { readonly kind: 'allowed' } | { readonly kind: 'denied'; readonly reason: string } | { readonly kind: 'cancelled' };

/** Do not wait longer, because the user may be gone. */
const PATIENCE_MS = 600_000;
const CHANGED = 'The server changed its definition meanwhile. Tell the user.';
const MAX_ARGUMENTS = 4_000;
/** Maximum chats with remembered permissions. The oldest are dropped. */
const MAX_CHATS = 100;

/**
 * Asks in the chat whether a tool may be called, with links in the answer. Participants have no prompt in the editor's
 * API. Calling the tool through the editor's list would prompt, but that list does not say which server a name belongs
 * to. Only the user can know a question's id.
 */
export class ToolQuestions {
  readonly #settings: EditorServices['settings'];
  readonly #host: Pick<Host, 'server'>;
  readonly #waiting = new Map<string, (answer: ToolAnswer) => void>();
  /** By chat: the allowed tools with their definitions. */
  readonly #allowed = new Map<string, Set<string>>();

  constructor({ settings, host }: Pick<EditorServices, 'settings'> & { readonly host: Pick<Host, 'server'> }) {
    this.#settings = settings;
    this.#host = host;
  }

  async permit(
    tool: ServerTool,
    args: JsonObject,
    conversationId: string,
    writer: ChatWriter,
    token: vscode.CancellationToken,
  ): Promise<Permission> {
    const now = this.#now(tool);
    if (now === undefined) return { kind: 'denied', reason: CHANGED };
    const form = formOf(tool, now.server);
    if (now.tool.autoApproved || this.#allowed.get(conversationId)?.has(form) === true) return { kind: 'allowed' };
    const answer = await this.#ask({ ...tool, offered: now.tool }, args, writer, token);
    const isAllowed = answer === 'once' || answer === 'chat' || answer === 'always';
    if (isAllowed && this.#now(tool) === undefined) return { kind: 'denied', reason: CHANGED };
    // The links stay, so show the answer below them.
    if (answer !== 'cancelled') writer.own(`\n\n*${answeredText(answer)}*\n\n`);
    if (answer === 'chat') this.#remember(conversationId, form);
    if (answer === 'always') {
      const { server, tool: name } = tool.target;
      await this.#settings.setToolAutoApproved(server, name, true, tool.offered.tool);
    }
    return isAllowed ? { kind: 'allowed' } : refusalOf(answer);
  }

  /** The current tool. Absent if it changed since the model read its definition. */
  #now({ target, offered }: ServerTool): { readonly server: ServerSnapshot; readonly tool: OfferedTool } | undefined {
    const server = this.#host.server(target.server);
    const tool = server?.tools.find(({ tool: { name } }) => name === target.tool);
    if (server === undefined || tool === undefined) return undefined;
    const isSame = tool.tool === offered.tool || trustedText(tool.tool) === trustedText(offered.tool);
    return isSame ? { server, tool } : undefined;
  }

  /** Handles a button. Returns false if the question is no longer open. */
  answer(id: unknown, answer: unknown): boolean {
    const settle = typeof id === 'string' ? this.#waiting.get(id) : undefined;
    const given = TOOL_ANSWERS.find((each) => each === answer);
    if (settle === undefined || given === undefined) return false;
    settle(given);
    return true;
  }

  async #ask(
    tool: ServerTool,
    args: JsonObject,
    writer: ChatWriter,
    token: vscode.CancellationToken,
  ): Promise<ToolAnswer | 'cancelled' | 'late'> {
    if (token.isCancellationRequested) return 'cancelled';
    const id = randomUUID();
    writer.own(questionText(tool, args));
    writer.links([
      // A permanent approval of a changed definition requires reviewing the change.
      ...TOOL_ANSWERS.filter((answer) => answer !== 'always' || tool.offered.change === undefined).map((answer) => {
        return { command: ANSWER_TOOL_QUESTION, title: titleOf(answer), arguments: [id, answer] };
      }),
      ...(tool.offered.change === undefined
        ? []
        : [{ command: COMMANDS.toolReview, title: vscode.l10n.t('Review Changes'), arguments: [tool.target] }]),
    ]);
    writer.step(vscode.l10n.t('Waiting for your answer'));
    return new Promise((resolve) => {
      const end = (answer: ToolAnswer | 'cancelled' | 'late'): void => {
        this.#waiting.delete(id);
        clearTimeout(timer);
        stopped.dispose();
        resolve(answer);
      };
      const timer = setTimeout(() => end('late'), PATIENCE_MS);
      const stopped = token.onCancellationRequested(() => end('cancelled'));
      this.#waiting.set(id, end);
    });
  }

  #remember(conversationId: string, form: string): void {
    const forms = this.#allowed.get(conversationId) ?? new Set<string>();
    forms.add(form);
    this.#allowed.delete(conversationId);
    this.#allowed.set(conversationId, forms);
    const [oldest] = this.#allowed.keys();
    if (this.#allowed.size > MAX_CHATS && oldest !== undefined) this.#allowed.delete(oldest);
  }
}

/** Another definition, or another program under the server's name, is another tool. */
function formOf({ target, offered: { tool } }: ServerTool, { definition }: ServerSnapshot): string {
  return canonicalJson([target.server, toJson(definition?.connection) ?? null, tool.raw]);
}

function refusalOf(answer: 'deny' | 'late' | 'cancelled'): Permission {
  switch (answer) {
    case 'cancelled':
      return { kind: answer };
    case 'late':
      return { kind: 'denied', reason: 'The user did not answer.' };
    case 'deny':
      return { kind: 'denied', reason: 'The user did not allow it.' };
  }
}

function titleOf(answer: ToolAnswer): string {
  switch (answer) {
    case 'once':
      return vscode.l10n.t('Allow');
    case 'chat':
      return vscode.l10n.t('Allow in This Chat');
    case 'always':
      return vscode.l10n.t('Always Allow');
    case 'deny':
      return vscode.l10n.t('Deny');
  }
}

function answeredText(answer: ToolAnswer | 'late'): string {
  switch (answer) {
    case 'once':
      return vscode.l10n.t('Allowed.');
    case 'chat':
      return vscode.l10n.t('Allowed in this chat.');
    case 'always':
      return vscode.l10n.t('Always allowed.');
    case 'deny':
      return vscode.l10n.t('Denied.');
    case 'late':
      return vscode.l10n.t('Denied, because there was no answer.');
  }
}

/** Server and model text is escaped and cannot hide parts of the question. */
function questionText({ target, offered }: ServerTool, args: JsonObject): string {
  const [server, tool] = [plainText(target.server, 64), plainText(target.tool, 100)].map(escaped);
  const hints = toolHints(offered.tool);
  const changed =
    offered.change === undefined ? '' : ` ${vscode.l10n.t('**Its definition changed since you approved it.**')}`;
  const said = hints.length === 0 ? '' : ` ${vscode.l10n.t('The server says: {0}.', hints.join(', '))}`;
  const whole = JSON.stringify(args, undefined, 2);
  const shown = clip(whole, MAX_ARGUMENTS)
    .split('\n')
    .map((line) => plainText(line, MAX_ARGUMENTS))
    .join('\n');
  const more = whole.length - MAX_ARGUMENTS;
  const longest = Math.max(2, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const asked = vscode.l10n.t('May **{0}** run **{1}**?', server ?? '', tool ?? '');
  // Users must know that a part is not shown.
  const rest =
    more > 0 ? `\n${vscode.l10n.t('**{0} more characters are not shown.**', more.toLocaleString('en'))}\n` : '';
  return `\n\n${asked}${changed}${said}\n\n${fence}json\n${shown}\n${fence}\n${rest}`;
}
