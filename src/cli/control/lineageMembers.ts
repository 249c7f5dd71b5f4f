import {
  type Annotation,
  LINEAGE_FILTERS,
  type LineageFilter,
  type LineageKey,
  Malformed,
  MemberReader,
} from '../../core/index.ts';
import type { CheckpointAddress, ControlCommand, LineageCommands } from './controlCommands.ts';

type Decoders = { readonly [K in keyof LineageCommands]: (line: MemberReader) => ControlCommand<K> };

const SHOWN = 100;
const MAX_ROWS = 1_000;
/** Longer names and searches are useless. */
const MAX_WORDS = 1_000;

/** The decoder of each command about states. */
export const LINEAGE_DECODERS: Decoders = {
  lineages: () => ({ kind: 'lineages' }),
  watchLineages: (line) => ({ kind: 'watchLineages', on: line.flag('on') }),
  checkpoints: (line) => ({
    kind: 'checkpoints',
    query: {
      ...keyIn(line),
      filter: filterIn(line),
      from: line.optionalCount('from') ?? 0,
      count: line.optionalCount('count', { most: MAX_ROWS }) ?? SHOWN,
    },
  }),
  checkpoint: (line) => ({ kind: 'checkpoint', place: line.count('place') }),
  state: (line) => ({
    kind: 'state',
    place: line.count('place'),
    form: line.has('form') ? line.choice('form', ['compact', 'pretty']) : 'compact',
  }),
  planRollback: (line) => ({ kind: 'planRollback', target: targetIn(line) }),
  rollback: (line) => ({ kind: 'rollback', target: targetIn(line), conversation: conversationIn(line) }),
  continueFrom: (line) => ({ kind: 'continueFrom', target: targetIn(line), conversation: conversationIn(line) }),
  annotate: (line) => ({ kind: 'annotate', place: line.count('place'), change: annotationIn(line) }),
  exportLineage: (line) => ({ kind: 'exportLineage', key: keyIn(line), file: fileIn(line) }),
  importLineage: (line) => ({ kind: 'importLineage', key: keyIn(line), file: fileIn(line) }),
  forgetLineage: (line) => ({ kind: 'forgetLineage', key: keyIn(line) }),
};

/** An empty set means states without a known set. */
function keyIn(line: MemberReader): LineageKey {
  return { server: line.text('server'), featureSet: line.text('featureSet') };
}

function targetIn(line: MemberReader): CheckpointAddress {
  if (!line.has('place')) return { kind: 'name', key: keyIn(line), name: line.text('checkpoint') };
  if (line.has('checkpoint')) throw new Malformed('Either "place" or "checkpoint" says where to, not both.');
  return { kind: 'place', place: line.count('place') };
}

function conversationIn(line: MemberReader): string | undefined {
  const conversation = line.optionalText('conversation');
  if (conversation === '') throw new Malformed('"conversation" must not be empty: leave it out for all of them.');
  return conversation;
}

function filterIn(line: MemberReader): LineageFilter {
  const given = line.members('filter') ?? new MemberReader({});
  return {
    text: words(given, 'text') ?? '',
    only: given.has('only') ? given.choice('only', LINEAGE_FILTERS) : 'all',
  };
}

function annotationIn(line: MemberReader): Annotation {
  const name = words(line, 'name');
  const isPinned = line.optionalFlag('isPinned');
  if (name === undefined && isPinned === undefined) throw new Malformed('Give a "name", or say with "isPinned".');
  return { ...(name === undefined ? {} : { name }), ...(isPinned === undefined ? {} : { isPinned }) };
}

function fileIn(line: MemberReader): string {
  const file = line.text('file');
  if (file === '' || file.includes('\0')) throw new Malformed('"file" must be the path of a file.');
  return file;
}

function words(line: MemberReader, name: string): string | undefined {
  const given = line.optionalText(name);
  if (given !== undefined && given.length > MAX_WORDS)
    throw new Malformed(`"${name}" must have at most ${MAX_WORDS} characters.`);
  return given;
}
