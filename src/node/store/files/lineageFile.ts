import {
  type CheckpointForm,
  CHECKPOINT_FORMS,
  isCheckpointId,
  PARENT_LINKS,
  type ParentLink,
  STATE_BOUNDS,
  type StateKeeper,
} from '../../../core/model/lineage.ts';
import { integer, isRecord, oneOf, optionalText, record, text } from '../contract.ts';
import { StoreError } from '../sqlite.ts';

// A lineage file in JSON Lines: a header, a line per checkpoint with parents before children, and an end line that
// proves completeness.

const FILE_FORMAT = 'mcpl-lineage';
const FILE_VERSION = 1;
/** Above the limit in settings. */
const MAX_LINES = 1_000_000;
/** Maximum bytes of a line: a complete state in any encoding. */
export const MAX_LINE_BYTES = 4 * STATE_BOUNDS.state;
const MAX_TEXT = 10_000;
/** The latest valid time in JavaScript. */
const LATEST = 8_640_000_000_000_000;
const KEEPERS: readonly StateKeeper[] = ['host', 'server'];

export interface FileHeader {
  readonly server: string;
  readonly featureSet: string;
  readonly keeper: StateKeeper;
  readonly count: number;
}

export interface FileNode {
  readonly checkpoint: string;
  readonly copy: number;
  /** Index of the parent in the file, from 0. */
  readonly parent: number | undefined;
  readonly parentName: string | undefined;
  readonly link: ParentLink;
  readonly form: CheckpointForm;
  readonly problem: string | undefined;
  readonly isPruned: boolean;
  readonly at: number;
  readonly tool: string | undefined;
  readonly args: string | undefined;
  readonly conversation: string | undefined;
  readonly name: string | undefined;
  readonly isPinned: boolean;
  readonly isHead: boolean;
  readonly isBlocking: boolean;
  /** As JSON. */
  readonly body: { readonly kind: 'data' | 'patch'; readonly text: string } | undefined;
}

interface FileEnd {
  readonly count: number;
  /** SHA-256 of all lines before it, in hexadecimal. */
  readonly sha256: string;
}

export function headerLine(header: FileHeader): string {
  return JSON.stringify({ format: FILE_FORMAT, version: FILE_VERSION, ...header });
}

export function endLine(end: FileEnd): string {
  return JSON.stringify({ end: end.count, sha256: end.sha256 });
}

/** Omits false flags. The body is inserted unchanged unless it has line breaks. */
export function nodeLine({ body, parent, isPruned, isPinned, isHead, isBlocking, ...rest }: FileNode): string {
  const flags = { isPruned, isPinned, isHead, isBlocking };
  const setFlags = Object.fromEntries(Object.entries(flags).filter(([, isSo]) => isSo));
  const line = JSON.stringify({ ...rest, parent: parent ?? null, ...setFlags });
  if (body === undefined) return line;
  const value = /[\r\n]/.test(body.text) ? JSON.stringify(JSON.parse(body.text)) : body.text;
  return `${line.slice(0, -1)},"${body.kind}":${value}}`;
}

export function decodeHeader(value: unknown): FileHeader {
  if (!isRecord(value) || value['format'] !== FILE_FORMAT)
    throw new TypeError('This is no file that a lineage was exported to.');
  const version = integer(value['version'], 'version');
  if (version > FILE_VERSION)
    throw new TypeError(`It has version ${version}, and this MCP Live reads up to ${FILE_VERSION}: update MCP Live.`);
  return {
    server: bounded(value['server'], 'server'),
    featureSet: bounded(value['featureSet'], 'featureSet'),
    keeper: oneOf(value['keeper'], KEEPERS, 'keeper'),
    count: within(value['count'], 'count', 0, MAX_LINES),
  };
}

export function decodeEnd(value: unknown): FileEnd | undefined {
  if (!isRecord(value) || !Object.hasOwn(value, 'end')) return undefined;
  return { count: integer(value['end'], 'end'), sha256: text(value['sha256'], 'sha256') };
}

/** `nth` is the index in the file, from 0. */
export function decodeNode(value: unknown, nth: number): FileNode {
  const line = record(value);
  const parent = line['parent'] ?? null;
  const checkpoint = text(line['checkpoint'], 'checkpoint');
  if (!isCheckpointId(checkpoint))
    throw new TypeError(`"checkpoint" must have 1 to ${STATE_BOUNDS.id} characters, and none that cannot be seen.`);
  return {
    checkpoint,
    copy: within(line['copy'], 'copy', 1, MAX_LINES),
    parent: parent === null ? undefined : within(parent, 'parent', 0, nth - 1),
    parentName: boundedOrNone(line['parentName'], 'parentName'),
    link: oneOf(line['link'], PARENT_LINKS, 'link'),
    form: oneOf(line['form'], CHECKPOINT_FORMS, 'form'),
    problem: boundedOrNone(line['problem'], 'problem'),
    isPruned: line['isPruned'] === true,
    at: within(line['at'], 'at', 0, LATEST),
    tool: boundedOrNone(line['tool'], 'tool'),
    args: boundedOrNone(line['args'], 'args'),
    conversation: boundedOrNone(line['conversation'], 'conversation'),
    name: boundedOrNone(line['name'], 'name'),
    isPinned: line['isPinned'] === true,
    isHead: line['isHead'] === true,
    isBlocking: line['isBlocking'] === true,
    body: decodeBody(line),
  };
}

function decodeBody(line: Readonly<Record<string, unknown>>): FileNode['body'] {
  const kind = Object.hasOwn(line, 'data') ? 'data' : Object.hasOwn(line, 'patch') ? 'patch' : undefined;
  if (kind === undefined) return undefined;
  const body = JSON.stringify(line[kind]);
  if (body.length > (kind === 'data' ? STATE_BOUNDS.state : STATE_BOUNDS.patch))
    throw new TypeError(`"${kind}" has ${body.length} characters, which is too much.`);
  return { kind, text: body };
}

function bounded(value: unknown, name: string): string {
  const found = text(value, name);
  if (found.length > MAX_TEXT) throw new TypeError(`"${name}" has ${found.length} characters, which is too much.`);
  return found;
}

function boundedOrNone(value: unknown, name: string): string | undefined {
  return optionalText(value, name) === undefined ? undefined : bounded(value, name);
}

function within(value: unknown, name: string, least: number, most: number): number {
  const found = integer(value, name);
  if (found < least || found > most)
    throw new TypeError(most < least ? `"${name}" must be null.` : `"${name}" must lie between ${least} and ${most}.`);
  return found;
}

export function fileFailed(what: string, error: unknown): StoreError {
  return new StoreError('file', `${what}: ${error instanceof Error ? error.message : String(error)}`);
}

/** Throws for invalid JSON, and for JSON that nests too deep for a state. */
export function parsedLine(line: Buffer): unknown {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(line);
  if (depthOf(text) > STATE_BOUNDS.depth + 1) throw new TypeError(`It nests deeper than ${STATE_BOUNDS.depth}.`);
  return JSON.parse(text);
}

/** Checked before parsing, because extreme nesting crashes the parser. */
function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  let isInText = false;
  for (let i = 0; i < json.length; i++) {
    const character = json[i];
    if (isInText) {
      if (character === '\\') i++;
      else if (character === '"') isInText = false;
    } else if (character === '"') isInText = true;
    else if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth);
    else if (character === '}' || character === ']') depth--;
  }
  return deepest;
}
