import {
  type Annotation,
  type JsonObject,
  LINEAGE_FILTERS,
  type LineageFilter,
  type LineageKey,
} from '../../core/index.ts';
import type { CheckpointAddress, ControlCommand, LineageCommands } from './controlCommands.ts';
import { choice, count, flag, Malformed, object, optionalCount, optionalFlag, optionalText, text } from './members.ts';

type Decoders = { readonly [K in keyof LineageCommands]: (line: JsonObject) => ControlCommand<K> };

const SHOWN = 100;
const MAX_ROWS = 1_000;
/** Longer names and searches are useless. */
const MAX_WORDS = 1_000;

/** The decoder of each command about states. */
export const LINEAGE_DECODERS: Decoders = {
  lineages: () => ({ kind: 'lineages' }),
  watchLineages: (line) => ({ kind: 'watchLineages', on: flag(line, 'on') }),
  checkpoints: (line) => ({
    kind: 'checkpoints',
    query: {
      ...keyIn(line),
      filter: filterIn(line),
      from: optionalCount(line, 'from') ?? 0,
      count: optionalCount(line, 'count', { most: MAX_ROWS }) ?? SHOWN,
    },
  }),
  checkpoint: (line) => ({ kind: 'checkpoint', place: count(line, 'place') }),
  state: (line) => ({
    kind: 'state',
    place: count(line, 'place'),
    form: line['form'] === undefined ? 'compact' : choice(line, 'form', ['compact', 'pretty']),
  }),
  planRollback: (line) => ({ kind: 'planRollback', target: targetIn(line) }),
  rollback: (line) => ({ kind: 'rollback', target: targetIn(line), conversation: conversationIn(line) }),
  continueFrom: (line) => ({ kind: 'continueFrom', target: targetIn(line), conversation: conversationIn(line) }),
  annotate: (line) => ({ kind: 'annotate', place: count(line, 'place'), change: annotationIn(line) }),
  exportLineage: (line) => ({ kind: 'exportLineage', key: keyIn(line), file: fileIn(line) }),
  importLineage: (line) => ({ kind: 'importLineage', key: keyIn(line), file: fileIn(line) }),
  forgetLineage: (line) => ({ kind: 'forgetLineage', key: keyIn(line) }),
};

/** An empty set means states without a known set. */
function keyIn(line: JsonObject): LineageKey {
  return { server: text(line, 'server'), featureSet: text(line, 'featureSet') };
}

function targetIn(line: JsonObject): CheckpointAddress {
  if (line['place'] === undefined) return { kind: 'name', key: keyIn(line), name: text(line, 'checkpoint') };
  if (line['checkpoint'] !== undefined) throw new Malformed('Either "place" or "checkpoint" says where to, not both.');
  return { kind: 'place', place: count(line, 'place') };
}

function conversationIn(line: JsonObject): string | undefined {
  const conversation = optionalText(line, 'conversation');
  if (conversation === '') throw new Malformed('"conversation" must not be empty: leave it out for all of them.');
  return conversation;
}

function filterIn(line: JsonObject): LineageFilter {
  const given = object(line, 'filter') ?? {};
  return {
    text: words(given, 'text') ?? '',
    only: given['only'] === undefined ? 'all' : choice(given, 'only', LINEAGE_FILTERS),
  };
}

function annotationIn(line: JsonObject): Annotation {
  const name = words(line, 'name');
  const isPinned = optionalFlag(line, 'isPinned');
  if (name === undefined && isPinned === undefined) throw new Malformed('Give a "name", or say with "isPinned".');
  return { ...(name === undefined ? {} : { name }), ...(isPinned === undefined ? {} : { isPinned }) };
}

function fileIn(line: JsonObject): string {
  const file = text(line, 'file');
  if (file === '' || file.includes('\0')) throw new Malformed('"file" must be the path of a file.');
  return file;
}

function words(line: JsonObject, name: string): string | undefined {
  const given = optionalText(line, name);
  if (given !== undefined && given.length > MAX_WORDS)
    throw new Malformed(`"${name}" must have at most ${MAX_WORDS} characters.`);
  return given;
}
