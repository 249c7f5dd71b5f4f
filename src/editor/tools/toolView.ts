import {
  annotationTexts,
  canStart,
  cleanLine,
  cleanText,
  type ContentBlock,
  type HostError,
  initialValues,
  isCancellation,
  isRunning,
  keptState,
  type Progress,
  type ResultView,
  type ServerSnapshot,
  type Tool,
  type ToolForm,
} from '../../core/index.ts';
import type { BlockView, RunView, ToolView } from '../../webview/form/formMessages.ts';
import { keptText } from '../lineage/lineageText.ts';
import { stateText } from '../shared/serverStateText.ts';
import { toolHints } from '../shared/toolHints.ts';

/** Maximum characters shown of one piece. Copy and Open in Editor have all of it. */
const MAX_TEXT = 200_000;
const MAX_NOTES = 10;
const MAX_BLOCKS = 100;
const MAX_LABEL = 200;
/** Image types that browsers render without running code. Excludes SVG. */
const DRAWN = /^image\/(?:png|jpeg|gif|webp)$/;
/** Maximum base64 characters of a displayed image. */
const MAX_IMAGE = 20_000_000;

/** Reasons that only mean that the server is stopped. */
const STOPPED: ReadonlySet<string> = new Set(['notStarted', 'byUser']);

/** The last listed tool, and whether it is still listed. */
interface ListedTool {
  readonly tool: Tool | undefined;
  readonly offered: boolean;
}

export function toolView(
  target: { readonly server: string; readonly tool: string },
  server: ServerSnapshot | undefined,
  { tool, offered }: ListedTool,
  form: ToolForm,
): ToolView {
  const title = cleanLine(tool?.title ?? '', MAX_LABEL);
  return {
    server: target.server,
    tool: target.tool,
    known: tool !== undefined,
    origin: cleanLine(`${target.server} › ${target.tool}`, MAX_LABEL),
    title: title === '' ? cleanLine(target.tool, MAX_LABEL) : title,
    description: cleanText(tool?.description ?? ''),
    hints: tool === undefined ? [] : toolHints(tool),
    fields: form.fields,
    complete: form.complete,
    values: initialValues(form),
    blocked: blockedBy(server, offered),
  };
}

function blockedBy(server: ServerSnapshot | undefined, offered: boolean): ToolView['blocked'] {
  if (server === undefined) return { reason: 'The server is no longer in the settings.', canStart: false };
  if (!isRunning(server.state)) {
    const startable = server.definition !== undefined && canStart(server.state);
    return { reason: whyNotRunning(server), canStart: startable };
  }
  return offered ? undefined : { reason: 'The server does not list this tool now.', canStart: false };
}

function whyNotRunning(server: ServerSnapshot): string {
  const { state } = server;
  if (server.definition !== undefined && state.kind === 'stopped' && STOPPED.has(state.reason))
    return 'The server is not running.';
  const why = stateText(server);
  return `The server is not running: ${why}${why.endsWith('…') ? '' : '.'}`;
}

export function progressView(elapsedMs: number, progress: Progress | undefined): RunView {
  const { progress: done = 0, total, message } = progress ?? {};
  const counted = progress === undefined ? '' : total === undefined ? `${done}` : `${done} of ${total}`;
  const said = cleanLine(message ?? '', MAX_LABEL);
  return {
    kind: 'running',
    elapsedMs,
    message: said === '' ? (counted === '' ? 'Running…' : `Running… ${counted}`) : said,
    fraction: total !== undefined && total > 0 ? done / total : undefined,
  };
}

export function resultRun(elapsedMs: number, result: ResultView): RunView {
  const kept = keptState(result);
  const shown = result.blocks.slice(0, MAX_BLOCKS).map(blockView);
  const left = result.blocks.length - shown.length;
  const more: readonly BlockView[] =
    left > 0 ? [{ kind: 'text', text: '', note: `${left} more pieces are not shown.` }] : [];
  const structured = result.structured === undefined ? undefined : JSON.stringify(result.structured, null, 2);
  return {
    kind: 'done',
    elapsedMs,
    isError: result.isError,
    blocks: [...noteViews(result), ...shown, ...more],
    structured: structured === undefined ? undefined : cleanText(structured, MAX_TEXT),
    // Notes say it of a state that is lost or broken.
    ...(kept?.kind === 'kept' || kept?.kind === 'known' ? { kept: keptText(kept) } : {}),
  };
}

/** Notes on a result come first. */
function noteViews(result: ResultView): readonly BlockView[] {
  const notes = annotationTexts(result, 'user').slice(0, MAX_NOTES);
  return notes.map((note) => ({ kind: 'text', text: '', note: cleanText(note) }));
}

export function failedRun(elapsedMs: number, error: HostError): RunView {
  // A cancellation is no failure.
  if (isCancellation(error)) return { kind: 'cancelled', elapsedMs };
  return {
    kind: 'failed',
    elapsedMs,
    message: cleanText(error.message),
    suggestion: cleanText(error.suggestion ?? ''),
    // A tool may reject arguments too, but then they were sent.
    canSendAnyway: error.code === 'INVALID_ARGUMENTS' && error.effect === 'none',
  };
}

/** A piece of content for a page. */
export function blockView(block: ContentBlock): BlockView {
  switch (block.type) {
    case 'text':
      return textView(block.text, '');
    case 'image':
    case 'audio':
      return mediaView(block.type, block.mimeType, block.data);
    case 'resource':
      return resourceView(block.resource);
    case 'resource_link':
      return {
        kind: 'text',
        text: cleanText(block.uri),
        note: `Link to a resource: ${cleanLine(block.name, MAX_LABEL)}`,
      };
    case 'unknown':
      return textView(JSON.stringify(block.value, null, 2), 'Content of an unknown type');
  }
}

function textView(text: string, note: string): BlockView {
  const cut =
    text.length > MAX_TEXT
      ? `The first ${counted(MAX_TEXT)} of ${counted(text.length)} characters. Open in Editor shows all.`
      : '';
  return { kind: 'text', text: cleanText(text, MAX_TEXT), note: [note, cut].filter((part) => part !== '').join('. ') };
}

function counted(number: number): string {
  return number.toLocaleString('en');
}

function mediaView(kind: 'image' | 'audio', mimeType: string, data: string): BlockView {
  const type = mimeType.toLowerCase();
  const size = `${Math.max(1, Math.round((data.length * 3) / 4 / 1_000))} KB`;
  const note = `${kind === 'image' ? 'Image' : 'Audio'}, ${cleanLine(type, 60)}, ${size}`;
  const drawn = kind === 'image' && DRAWN.test(type) && data.length <= MAX_IMAGE && /^[A-Za-z0-9+/=\s]*$/.test(data);
  return drawn
    ? { kind: 'image', source: `data:${type};base64,${data}`, note }
    : { kind: 'text', text: '', note: `${note}. Open in Editor shows its data.` };
}

function resourceView(resource: Extract<ContentBlock, { type: 'resource' }>['resource']): BlockView {
  const { uri, mimeType, text, blob } = resource;
  const where = `Resource ${cleanLine(typeof uri === 'string' ? uri : '', MAX_LABEL)}`.trim();
  if (typeof text === 'string') return textView(text, where);
  if (typeof blob !== 'string') return { kind: 'text', text: '', note: where };
  const media = mediaView('image', typeof mimeType === 'string' ? mimeType : 'application/octet-stream', blob);
  return media.kind === 'image'
    ? { ...media, note: `${where}: ${media.note}` }
    : { ...media, note: `${where}, not text. Open in Editor shows its data.` };
}
