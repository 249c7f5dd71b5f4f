import type {
  CheckpointInfo,
  EventInfo,
  Json,
  LineageInfo,
  ServerInfo,
  ToolInfo,
  ToolResult,
} from '../../../media/mcp-live.d.ts';
import {
  annotationTexts,
  blockText,
  type Checkpoint,
  cleanText,
  type InboundEvent,
  isJsonArray,
  type LineageSummary,
  mapTexts,
  type OfferedTool,
  type Redact,
  type ResultView,
  type ServerSnapshot,
  withNotes,
} from '../../core/index.ts';
import { toJson } from '../shared/settingsJson.ts';

const MAX_TOOLS = 1_000;
const MAX_TEXT = 32_768;

/** Returns a deeply frozen copy, so that callers cannot affect each other. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const member of Object.values(value)) frozen(member);
  }
  return value;
}

/** JSON is shared internally, so return a copy. */
function copyOf(value: Json | undefined): Json | undefined {
  return value === undefined ? undefined : toJson(value);
}

/** For another program, so secrets are removed. Names stay, because calls need them. */
export function serverInfo(server: ServerSnapshot, redact: Redact): ServerInfo {
  const { id, label, contributor, enabled, state, mcpl, tools } = server;
  return frozen({
    id,
    label,
    contributedBy: contributor?.id,
    isEnabled: enabled,
    state: state.kind,
    revision: state.kind === 'running' ? state.protocolVersion : undefined,
    isMcpl: mcpl !== undefined,
    tools: tools.slice(0, MAX_TOOLS).map((tool) => toolInfo(tool, redact)),
  });
}

function toolInfo({ tool, offered }: OfferedTool, redact: Redact): ToolInfo {
  const { name, title, description } = tool;
  const inputSchema = mapTexts(copyOf(tool.inputSchema) ?? {}, redact);
  return {
    name,
    title: title && redact(title),
    description: description && redact(description),
    inputSchema,
    isOffered: offered,
  };
}

/** For another program, so secrets are removed. */
export function resultOf(result: ResultView, redact: Redact): ToolResult {
  const { isError, modelText, raw, structured } = result;
  const notes = annotationTexts(result, 'program');
  const text = withNotes(modelText, notes);
  const clean = (value: Json | undefined): Json | undefined => value && mapTexts(value, redact);
  const content = clean(copyOf(raw['content']));
  return frozen({
    isError,
    text,
    content: isJsonArray(content)
      ? [...content, ...notes.map((note) => ({ type: 'text', text: `[${note}]` }))]
      : [{ type: 'text', text }],
    structuredContent: clean(copyOf(structured)),
  });
}

export function eventInfo(event: InboundEvent): EventInfo {
  const { id, server, source, eventId, occurredAt, receivedAt, origin, content, isRead, outcome } = event;
  return frozen({
    id,
    server,
    featureSet: source.featureSet,
    eventId,
    occurredAt,
    receivedAt,
    origin: copyOf(origin),
    text: cleanText(content.map(blockText).join('\n'), MAX_TEXT),
    isRead,
    answer: outcome.kind === 'answered' ? outcome.text : undefined,
  });
}

export function lineageInfo({ server, featureSet, keeper, count, head, blocked }: LineageSummary): LineageInfo {
  return frozen({
    server,
    featureSet,
    keeper,
    count,
    head: head === undefined ? undefined : checkpointInfo(head),
    isBlocked: blocked !== undefined,
  });
}

export function checkpointInfo(node: Checkpoint): CheckpointInfo {
  const { place, checkpoint, parent, at, tool, name, isPinned, isPruned, problem } = node;
  return frozen({ place, checkpoint, parent, at, tool, name, isPinned, isPruned, problem });
}
