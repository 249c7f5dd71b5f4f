import * as vscode from 'vscode';
import { isObject, messageOf, waitFor } from '../../core/index.ts';
import { ATTACHED, attachmentText, MAX_ATTACHMENT } from './chatAttachmentText.ts';
import type { PromptPart } from './chatPrompt.ts';
import { editorClock } from '../shared/editorClock.ts';
import { plainText } from '../shared/plainText.ts';

interface Attachments {
  readonly parts: readonly PromptPart[];
  /** Sources that are shown with the answer. */
  readonly used: readonly (vscode.Uri | vscode.Location)[];
  /** Unreadable attachments, one sentence each. */
  readonly remarks: readonly string[];
}

const MOST = 20;
const MAX_FILE = 5_000_000;
const IMAGES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
};
/** A disk or server may not respond. */
const PATIENCE_MS = 20_000;

type Content = vscode.LanguageModelTextPart | vscode.LanguageModelDataPart;
type Read =
  | { readonly kind: 'read'; readonly content: readonly Content[]; readonly used?: vscode.Uri | vscode.Location }
  | { readonly kind: 'unread'; readonly why: string };

/** Attachments as separate messages, so that each can be dropped. */
export async function readReferences(
  references: readonly vscode.ChatPromptReference[],
  token: vscode.CancellationToken,
): Promise<Attachments> {
  const shown = references.slice(0, MOST);
  const read = await Promise.all(shown.map((reference) => readInTime(reference, token)));
  const parts: PromptPart[] = [];
  const used: (vscode.Uri | vscode.Location)[] = [];
  const remarks: string[] = [];
  for (const [index, each] of read.entries()) {
    const name = plainText(nameOf(shown[index]), 200);
    if (each.kind === 'unread') {
      remarks.push(vscode.l10n.t('"{0}" was not passed on: {1}', name, each.why));
      continue;
    }
    if (each.used !== undefined) used.push(each.used);
    const introduction = parts.length === 0 ? [new vscode.LanguageModelTextPart(`${ATTACHED}\n`)] : [];
    const left = attachmentText({ name, text: '[Left out: all of it together was too much for this model.]' });
    parts.push({
      kind: 'reference',
      messages: [vscode.LanguageModelChatMessage.User([...introduction, ...each.content])],
      instead: [vscode.LanguageModelChatMessage.User([...introduction, new vscode.LanguageModelTextPart(left)])],
    });
  }
  if (references.length > MOST)
    remarks.push(vscode.l10n.t('Only the first {0} of {1} attachments were passed on.', MOST, references.length));
  return { parts, used, remarks };
}

async function readInTime(reference: vscode.ChatPromptReference, token: vscode.CancellationToken): Promise<Read> {
  try {
    const waited = await waitFor(read(reference), { clock: editorClock, ms: PATIENCE_MS, token });
    if (waited.kind === 'done') return waited.value;
    const isLate = waited.kind === 'late';
    const why = isLate ? vscode.l10n.t('it could not be read in time.') : vscode.l10n.t('the turn was stopped.');
    return { kind: 'unread', why };
  } catch (error) {
    return { kind: 'unread', why: whyNot(error) };
  }
}

function whyNot(error: unknown): string {
  if (error instanceof vscode.FileSystemError && error.code === 'FileNotFound')
    return vscode.l10n.t('it is no longer there.');
  return plainText(messageOf(error), 300);
}

async function read(reference: vscode.ChatPromptReference): Promise<Read> {
  const { value } = reference;
  const name = nameOf(reference);
  if (typeof value === 'string') return { kind: 'read', content: [textPart(attachmentText({ name, text: value }))] };
  if (value instanceof vscode.Uri) return readFile(name, value);
  if (value instanceof vscode.Location) return readRange(name, value);
  if (isObject(value)) return readBytes(name, value);
  return { kind: 'unread', why: vscode.l10n.t('@mcpl does not know this kind of attachment.') };
}

/** Pasted or attached images. The API only says that there may be other values. */
async function readBytes(name: string, value: Readonly<Record<string, unknown>>): Promise<Read> {
  const { mimeType, data, reference } = value;
  const type = Object.values(IMAGES).find((known) => known === mimeType);
  const bytes: unknown =
    type !== undefined && typeof data === 'function' ? await Reflect.apply(data, value, []) : undefined;
  if (type === undefined || !(bytes instanceof Uint8Array))
    return { kind: 'unread', why: vscode.l10n.t('@mcpl does not know this kind of attachment.') };
  const uri = reference instanceof vscode.Uri ? reference : undefined;
  return pictureRead(name, uri, bytes, type);
}

function pictureRead(name: string, uri: vscode.Uri | undefined, bytes: Uint8Array, type: string): Read {
  if (bytes.byteLength > MAX_FILE) return { kind: 'unread', why: vscode.l10n.t('it is larger than 5 MB.') };
  const known = uri === undefined ? {} : { uri: uriText(uri) };
  const text = attachmentText({ name, ...known, text: '[The picture that follows.]' });
  const content = [textPart(text), vscode.LanguageModelDataPart.image(bytes, type)];
  return { kind: 'read', content, ...(uri === undefined ? {} : { used: uri }) };
}

async function readFile(name: string, uri: vscode.Uri): Promise<Read> {
  const { size, type } = await vscode.workspace.fs.stat(uri);
  if ((type & vscode.FileType.Directory) !== 0) {
    const entries = await vscode.workspace.fs.readDirectory(uri);
    const text = entries
      .slice(0, 1_000)
      .map(([entry, kind]) => ((kind & vscode.FileType.Directory) !== 0 ? `${entry}/` : entry))
      .join('\n');
    return { kind: 'read', content: [textPart(attachmentText({ name, uri: uriText(uri), text }))], used: uri };
  }
  if (size > MAX_FILE) return { kind: 'unread', why: vscode.l10n.t('it is larger than 5 MB.') };
  const image = IMAGES[/\.(\w+)$/.exec(uri.path)?.[1]?.toLowerCase() ?? ''];
  if (image !== undefined) return pictureRead(name, uri, await vscode.workspace.fs.readFile(uri), image);
  const text = await fileText(uri);
  if (text === undefined) return { kind: 'unread', why: vscode.l10n.t('it is neither text nor a picture.') };
  return { kind: 'read', content: [textPart(attachmentText({ name, uri: uriText(uri), text }))], used: uri };
}

async function readRange(name: string, location: vscode.Location): Promise<Read> {
  const { uri, range } = location;
  const document = await vscode.workspace.openTextDocument(uri);
  const text = document.getText(range);
  const lines = [range.start.line + 1, range.end.line + 1] as const;
  const content = [textPart(attachmentText({ name, uri: uriText(uri), lines, text }))];
  return { kind: 'read', content, used: location };
}

/** The text of an open document includes unsaved changes. */
async function fileText(uri: vscode.Uri): Promise<string | undefined> {
  const open = vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
  if (open !== undefined) return open.getText();
  const bytes = await vscode.workspace.fs.readFile(uri);
  if (bytes.subarray(0, 8_000).includes(0)) return undefined;
  return new TextDecoder().decode(bytes.subarray(0, MAX_ATTACHMENT * 4));
}

function textPart(text: string): vscode.LanguageModelTextPart {
  return new vscode.LanguageModelTextPart(text);
}

/** Relative to the workspace folder if possible. */
function uriText(uri: vscode.Uri): string {
  return uri.scheme === 'file' || uri.scheme === 'vscode-remote'
    ? vscode.workspace.asRelativePath(uri)
    : uri.toString(true);
}

function nameOf(reference: vscode.ChatPromptReference | undefined): string {
  if (reference === undefined) return '';
  const { value, id } = reference;
  const uri = value instanceof vscode.Uri ? value : value instanceof vscode.Location ? value.uri : undefined;
  return uri === undefined ? id : (uri.path.split('/').at(-1) ?? id);
}
