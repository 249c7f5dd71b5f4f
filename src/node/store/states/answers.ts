import type { Checkpoint, StateKeeper } from '../../../core/model/lineage.ts';
import type { StateBase, StateImport, StateRecord } from '../../../core/index.ts';
import { type Decoder, integer, oneOf, optionalText, record, texts } from '../records.ts';
import { checkpointOf } from './rows.ts';

// What the store's thread answers about what calls do with states, as this side of it reads it.

const KEEPERS: readonly StateKeeper[] = ['host', 'server'];

export const baseOf: Decoder<StateBase> = (value) => {
  const { keeper, head, state, blocked } = record(value);
  return {
    keeper: oneOf(keeper, KEEPERS, 'keeper'),
    head: optionalCheckpoint(head),
    state: optionalText(state, 'state'),
    blocked: optionalCheckpoint(blocked),
  };
};

export const recordOf: Decoder<StateRecord> = (value) => {
  const { kind, node, written, remarks } = record(value);
  return {
    kind: oneOf(kind, ['kept', 'known', 'broken'], 'kind'),
    node: checkpointOf(node),
    written: integer(written, 'written'),
    remarks: texts(remarks),
  };
};

export const importOf: Decoder<StateImport> = (value) => {
  const { added, known } = record(value);
  return { added: integer(added, 'added'), known: integer(known, 'known') };
};

function optionalCheckpoint(value: unknown): Checkpoint | undefined {
  return value === null || value === undefined ? undefined : checkpointOf(value);
}
