import { type HeadMove, type LineageKey, MOVE_KINDS, type StateKeeper } from '../../../core/model/lineage.ts';
import type { Annotation, StateUpdate } from '../../../core/index.ts';
import type { BaseRequest, StateTextRequest } from '../contract.ts';
import { type Decoder, integer, oneOf, optionalInteger, optionalText, record, text } from '../records.ts';

// What calls ask of the lineages, as the store's thread reads it.

const KEEPERS: readonly (StateKeeper | 'either')[] = ['host', 'server', 'either'];

export const decodeBaseRequest: Decoder<BaseRequest> = (value) => {
  const { conversation, keeper, ...key } = record(value);
  return {
    ...decodeKey(key),
    conversation: optionalText(conversation, 'conversation'),
    keeper: oneOf(keeper, KEEPERS, 'keeper'),
  };
};

export const decodeUpdate: Decoder<StateUpdate> = (value) => {
  const update = record(value);
  return {
    ...decodeBaseRequest(update),
    checkpoint: text(update['checkpoint'], 'checkpoint'),
    parent: update['parent'] === null ? null : optionalText(update['parent'], 'parent'),
    base: optionalInteger(update['base'], 'base'),
    cause: oneOf(update['cause'], ['call', 'update', 'rollback'], 'cause'),
    body: update['body'] === undefined ? undefined : decodeBody(update['body']),
    at: integer(update['at'], 'at'),
    tool: optionalText(update['tool'], 'tool'),
    args: optionalText(update['args'], 'args'),
  };
};

function decodeBody(value: unknown): StateUpdate['body'] {
  const { kind, text: body, isAsItCame } = record(value);
  const isTheirs = isAsItCame === true;
  return { kind: oneOf(kind, ['data', 'patch'], 'kind'), text: text(body, 'body'), isAsItCame: isTheirs };
}

export const decodeMove: Decoder<{ readonly move: HeadMove; readonly conversation: string | undefined }> = (value) => {
  const { move, conversation } = record(value);
  const { at, kind, from, to, refusal } = record(move);
  return {
    move: {
      at: integer(at, 'at'),
      kind: oneOf(kind, MOVE_KINDS, 'kind'),
      from: optionalInteger(from, 'from'),
      to: integer(to, 'to'),
      refusal: optionalText(refusal, 'refusal'),
    },
    conversation: optionalText(conversation, 'conversation'),
  };
};

export const decodePlace: Decoder<{ readonly place: number }> = (value) => ({
  place: integer(record(value)['place'], 'place'),
});

export const decodeAnnotation: Decoder<{ readonly place: number; readonly change: Annotation }> = (value) => {
  const { change, ...rest } = record(value);
  const { name, isPinned } = record(change);
  return {
    ...decodePlace(rest),
    change: {
      name: optionalText(name, 'name'),
      isPinned: isPinned === undefined ? undefined : isPinned === true,
    },
  };
};

export const decodeTextRequest: Decoder<StateTextRequest> = (value) => ({
  ...decodePlace(value),
  form: oneOf(record(value)['form'], ['compact', 'pretty'], 'form'),
});

function decodeKey(value: unknown): LineageKey {
  const { server, featureSet } = record(value);
  return { server: text(server, 'server'), featureSet: text(featureSet, 'featureSet') };
}
