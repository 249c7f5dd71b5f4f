import * as vscode from 'vscode';
import {
  annotationTexts,
  type CancellationToken,
  clip,
  type ContentBlock,
  type Host,
  isJsonObject,
  type JsonObject,
  keptState,
  type Progress,
  type ResultView,
  showHidden,
  toHostError,
  withNotes,
} from '../../core/index.ts';
import type { ToolQuestions } from './chatToolQuestion.ts';
import { type ChatTool, isAsAnnounced } from './chatTools.ts';
import type { ChatWriter } from './chatWriter.ts';
import { plainText } from '../shared/plainText.ts';
import { toJson } from '../shared/settingsJson.ts';

/** A checkpoint created by a call of this turn. */
export interface MadeCheckpoint {
  readonly server: string;
  readonly tool: string;
  readonly place: number;
}

export interface ResourceLink {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
}

/** The result of one call, for the model and the user. */
export interface ToolOutcome {
  readonly content: vscode.LanguageModelToolResultPart['content'];
  /** The result as text, for storage. */
  readonly text: string;
  readonly checkpoint?: MadeCheckpoint | undefined;
  readonly links?: readonly ResourceLink[];
}

interface ToolRunOptions {
  readonly host: Pick<Host, 'callTool'>;
  readonly questions: ToolQuestions;
  readonly writer: ChatWriter;
  readonly conversationId: string;
  readonly invocation: vscode.ChatParticipantToolToken;
  /** Maximum characters of one result, to leave room for others. */
  readonly longestResult: number;
  readonly token: vscode.CancellationToken;
}

const IMAGES = /^image\/(png|jpeg|gif|webp)$/;
const MAX_IMAGES = 5;
/** In base64: 5 MB. */
const MAX_IMAGE = 7_000_000;
const MAX_LINKS = 20;

/** Runs the model's tool calls. Failures become results that the model can react to. */
export class ChatToolRun {
  readonly #options: ToolRunOptions;

  constructor(options: ToolRunOptions) {
    this.#options = options;
  }

  /** Only rejects if the turn is cancelled. */
  async run(name: string, input: object, tools: ReadonlyMap<string, ChatTool>): Promise<ToolOutcome> {
    const tool = tools.get(name);
    if (tool === undefined)
      return textOutcome(`There is no tool "${plainText(name, 100)}". Call one of those that are offered.`);
    const json = toJson(input);
    const args = isJsonObject(json) ? json : {};
    try {
      return tool.kind === 'attached' ? await this.#invoke(tool, input) : await this.#call(tool, args);
    } catch (error) {
      if (this.#options.token.isCancellationRequested) throw error;
      const { message, suggestion = '' } = toHostError(error);
      return textOutcome(showHidden(`The call failed: ${message} ${suggestion}`.trim()));
    }
  }

  /** The editor confirms, shows and runs it. */
  async #invoke({ definition: attached }: ChatTool, input: object): Promise<ToolOutcome> {
    const { invocation: toolInvocationToken, token, longestResult } = this.#options;
    const { name } = attached;
    const now = vscode.lm.tools.find((tool) => tool.name === name);
    if (!isAsAnnounced(attached, now))
      return textOutcome(
        `The tool "${plainText(name, 100)}" changed since it was attached. The user has to attach it again.`,
      );
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken }, token);
    const text = content
      .map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '[not text]'))
      .join('\n');
    const shown = content.map((part) =>
      part instanceof vscode.LanguageModelTextPart && part.value.length > longestResult
        ? new vscode.LanguageModelTextPart(shortened(part.value, longestResult))
        : part,
    );
    return { content: shown, text };
  }

  async #call(tool: Extract<ChatTool, { readonly kind: 'server' }>, args: JsonObject): Promise<ToolOutcome> {
    const { host, questions, writer, conversationId, token } = this.#options;
    const { target } = tool;
    const permission = await questions.permit(tool, args, conversationId, writer, token);
    if (permission.kind === 'cancelled') throw new vscode.CancellationError();
    if (permission.kind === 'denied') return textOutcome(`The tool was not called: ${permission.reason}`);
    writer.step(vscode.l10n.t('Running {0} of {1}', plainText(target.tool, 100), plainText(target.server, 64)));
    const request = { ...target, args, route: 'participant', conversationId } as const;
    const onProgress = (progress: Progress): void => writer.progress(progressText(target.tool, progress));
    const result = await host.callTool(request, { token: tokenOf(token), onProgress });
    const kept = keptState(result);
    return {
      ...this.#outcomeOf(result),
      links: linksIn(target.server, result),
      checkpoint: kept?.kind === 'kept' ? { ...target, place: kept.place } : undefined,
    };
  }

  #outcomeOf(result: ResultView): ToolOutcome {
    const failed = result.isError ? 'The tool says that it failed:\n' : '';
    const words = result.modelText === '' ? 'The tool gave nothing.' : result.modelText;
    const noted = withNotes(words, annotationTexts(result, 'user'));
    const text = shortened(`${failed}${noted}`, this.#options.longestResult);
    const images = result.blocks.filter(isImage).slice(0, MAX_IMAGES);
    return {
      content: [
        new vscode.LanguageModelTextPart(text),
        ...images.map(({ data, mimeType }) =>
          vscode.LanguageModelDataPart.image(Buffer.from(data, 'base64'), mimeType),
        ),
      ],
      text,
    };
  }
}

/** A message for the model in place of a result. */
export function textOutcome(text: string): ToolOutcome {
  return { content: [new vscode.LanguageModelTextPart(text)], text };
}

function shortened(text: string, max: number): string {
  return text.length <= max ? text : `${clip(text, max)}\n[The rest was left out: it has ${text.length} characters.]`;
}

type Picture = Extract<ContentBlock, { readonly type: 'image' | 'audio' }>;

function isImage(block: ContentBlock): block is Picture {
  if (block.type !== 'image' || block.audience === 'user') return false;
  return IMAGES.test(block.mimeType) && block.data.length <= MAX_IMAGE;
}

function linksIn(server: string, { blocks }: ResultView): readonly ResourceLink[] {
  return blocks
    .flatMap((block) => (block.type === 'resource_link' ? [{ server, uri: block.uri, name: block.name }] : []))
    .slice(0, MAX_LINKS);
}

function progressText(tool: string, { progress, total, message }: Progress): string {
  const far = total === undefined || total <= 0 ? '' : ` ${Math.round((progress / total) * 100)} %`;
  return [`${tool}${far}`, ...(message === undefined ? [] : [message])].join(': ');
}

/** The editor's token has the core's type. */
function tokenOf(token: vscode.CancellationToken): CancellationToken {
  return token;
}
