import { showHidden } from '../base/hiddenText.ts';
import { clip, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { mapTexts } from '../base/jsonTexts.ts';
import type { Redact } from '../base/secrets.ts';
import { withoutUnread } from '../base/unreadJson.ts';
import type { KeptState } from './lineage.ts';

/** A piece of content from a server. Unknown content is kept as `unknown`, never dropped. */
export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly audience?: Audience }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string; readonly audience?: Audience }
  | { readonly type: 'resource'; readonly resource: JsonObject; readonly audience?: Audience }
  | { readonly type: 'resource_link'; readonly uri: string; readonly name: string; readonly audience?: Audience }
  | { readonly type: 'unknown'; readonly value: Json };

/** The intended audience, as a hint of the server. `undefined` means both. */
type Audience = 'user' | 'assistant' | undefined;

/** One part of a resource: text, or bytes as base64. */
export type ResourceContents =
  | { readonly kind: 'text'; readonly uri: string; readonly mimeType: string | undefined; readonly text: string }
  | { readonly kind: 'blob'; readonly uri: string; readonly mimeType: string | undefined; readonly blob: string };

export type Role = 'user' | 'assistant';

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: Role;
  readonly content: ContentBlock;
}

/** The result of `prompts/get`. */
export interface PromptResult {
  readonly description: string | undefined;
  readonly messages: readonly PromptMessage[];
  readonly raw: JsonObject;
}

/** A note on a result that is not part of its content. `annotationTexts` selects the notes for a reader. */
export type ResultAnnotation =
  | { readonly source: 'host'; readonly kind: 'outputSchema'; readonly text: string }
  /** The outcome for the state in the result (MCPL §8.2). The text is empty unless the state is lost or broken. */
  | { readonly source: 'host'; readonly kind: 'state'; readonly text: string; readonly data: KeptState };

/** Programs that use the host: clients of the gateway, other extensions. They have never had notes of these kinds. */
const NOT_FOR_PROGRAMS: ReadonlySet<string> = new Set(['outputSchema', 'state'] satisfies ResultAnnotation['kind'][]);

/** The notes on a result as sentences, for the user and the model in the chat, or for programs that use the host. */
export function annotationTexts({ annotations }: ResultView, reader: 'user' | 'program'): readonly string[] {
  return annotations
    .filter(({ kind, text }) => text !== '' && (reader === 'user' || !NOT_FOR_PROGRAMS.has(kind)))
    .map(({ text }) => text);
}

/** The text for a model, with notes after it. */
export function withNotes(text: string, notes: readonly string[]): string {
  return [text, ...notes.map((note) => `[${note}]`)].join('\n');
}

/** The outcome for the state that the result contained (MCPL §8.2). Absent without a state. */
export function keptState({ annotations }: ResultView): KeptState | undefined {
  return annotations.findLast((annotation) => annotation.kind === 'state')?.data;
}

/** The result of a tool call, for display and for a model. All routes share this one type. */
export interface ResultView {
  /** The text for a model: secrets removed, hidden characters made visible. */
  readonly modelText: string;
  readonly blocks: readonly ContentBlock[];
  readonly structured: Json | undefined;
  /** The tool reported a failure, which the model should see. */
  readonly isError: boolean;
  /** In the order in which they were added. */
  readonly annotations: readonly ResultAnnotation[];
  /** The unchanged result, including unknown fields, for forwarding. */
  readonly raw: JsonObject;
}

/** Maximum length of the JSON that stands in for missing or unknown content. */
const MAX_SYNTHESIZED = 1_000_000;

/**
 * Decodes a `tools/call` result. Accepts results of all revisions: missing content, a bare array or string, or any
 * object. The text for the model is then made from the existing members.
 */
export function decodeResult(value: Json, redact: Redact = asItIs): ResultView {
  return new DecodedResult(isJsonObject(value) ? value : { content: contentOf(value) }, redact);
}

function asItIs(text: string): string {
  return text;
}

const NO_ANNOTATIONS: readonly ResultAnnotation[] = [];

/** Decoded on first access: a result that is only passed on is not decoded. */
class DecodedResult implements ResultView {
  readonly raw: JsonObject;
  readonly annotations: readonly ResultAnnotation[] = NO_ANNOTATIONS;
  readonly #redact: Redact;
  #blocks: readonly ContentBlock[] | undefined;
  #modelText: string | undefined;

  constructor(raw: JsonObject, redact: Redact) {
    this.raw = raw;
    this.#redact = redact;
  }

  get blocks(): readonly ContentBlock[] {
    this.#blocks ??= blocksOf(this.raw['content']);
    return this.#blocks;
  }

  get structured(): Json | undefined {
    return this.raw['structuredContent'];
  }

  get isError(): boolean {
    return this.raw['isError'] === true;
  }

  get modelText(): string {
    this.#modelText ??= showHidden(this.#redact(modelText(this.blocks, this.structured, this.raw)));
    return this.#modelText;
  }
}

function contentOf(value: Json): Json {
  if (isJsonArray(value)) return value;
  return [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }];
}

export function blocksOf(content: Json | undefined): readonly ContentBlock[] {
  if (content === undefined || content === null) return [];
  if (isJsonArray(content)) return content.map(decodeBlock);
  return [typeof content === 'string' ? { type: 'text', text: content } : decodeBlock(content)];
}

export function decodeBlock(value: Json): ContentBlock {
  if (!isJsonObject(value)) return { type: 'unknown', value };
  const audience = decodeAudience(value['annotations']);
  const { type, text, data, mimeType, resource, uri, name } = value;
  if (type === 'text' && typeof text === 'string')
    return audience === undefined ? { type, text } : { type, text, audience };
  const withAudience = audience === undefined ? {} : { audience };
  if ((type === 'image' || type === 'audio') && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType, ...withAudience };
  if (type === 'resource' && isJsonObject(resource)) return { type, resource, ...withAudience };
  if (type === 'resource_link' && typeof uri === 'string')
    return { type, uri, name: typeof name === 'string' ? name : uri, ...withAudience };
  return { type: 'unknown', value };
}

function decodeAudience(annotations: Json | undefined): Audience {
  if (!isJsonObject(annotations) || !isJsonArray(annotations['audience'])) return undefined;
  const [only, ...more] = annotations['audience'];
  return more.length === 0 && (only === 'user' || only === 'assistant') ? only : undefined;
}

function modelText(blocks: readonly ContentBlock[], structured: Json | undefined, raw: JsonObject): string {
  const texts = blocks.filter((block) => !('audience' in block && block.audience === 'user')).map(blockText);
  if (texts.length > 0) return texts.join('\n');
  if (structured !== undefined) return clip(JSON.stringify(structured), MAX_SYNTHESIZED);
  const rest = Object.keys(raw).filter((key) => key !== '_meta' && key !== 'isError' && key !== 'content');
  if (rest.length === 0) return '';
  const shown = rest.map((key) => [key, withoutUnread(raw[key] ?? null)] as const);
  return clip(JSON.stringify(Object.fromEntries(shown)), MAX_SYNTHESIZED);
}

/** Total characters of text and base64, in all members that may be long. */
export function sizeOf(content: readonly ContentBlock[]): number {
  let size = 0;
  for (const block of content) size += sizeOfBlock(block);
  return size;
}

function sizeOfBlock(block: ContentBlock): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'image':
    case 'audio':
      return block.data.length;
    case 'resource_link':
      return block.uri.length + block.name.length;
    case 'resource':
      return JSON.stringify(block.resource).length;
    case 'unknown':
      return JSON.stringify(block.value).length;
  }
}

/** One block as plain text. */
export function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${Math.floor((block.data.length * 3) / 4)} bytes]`;
    case 'resource': {
      const { text, uri } = block.resource;
      return typeof text === 'string' ? text : `[resource ${typeof uri === 'string' ? uri : 'without URI'}]`;
    }
    case 'resource_link':
      return `[${block.name}](${block.uri})`;
    case 'unknown':
      return clip(JSON.stringify(block.value), MAX_SYNTHESIZED);
  }
}

/** Removes secrets from content. It is shown, stored, and read by models whose answers other servers see. */
export function redactContent(content: readonly ContentBlock[], redact: Redact): readonly ContentBlock[] {
  return content.map((block) => redactBlock(block, redact));
}

export function redactObject(value: JsonObject, redact: Redact): JsonObject | undefined {
  const clean = mapTexts(value, redact);
  return isJsonObject(clean) ? clean : undefined;
}

function redactBlock(block: ContentBlock, redact: Redact): ContentBlock {
  switch (block.type) {
    case 'text': {
      const text = redact(block.text);
      return text === block.text ? block : { ...block, text };
    }
    case 'image':
    case 'audio':
      return redact(block.mimeType) === block.mimeType ? block : { ...block, mimeType: 'application/octet-stream' };
    case 'resource': {
      const resource = redactObject(block.resource, redact);
      return resource === block.resource ? block : { ...block, resource: resource ?? {} };
    }
    case 'resource_link':
      return { ...block, uri: redact(block.uri), name: redact(block.name) };
    case 'unknown':
      return { type: 'unknown', value: mapTexts(block.value, redact) };
  }
}
