import { type Checkpoint, CHECKPOINT_FORMS, PARENT_LINKS } from '../../../core/model/lineage.ts';
import { integer, oneOf, optionalInteger, optionalText, record, text } from '../records.ts';

/** All columns except the body, which may be long. */
export const CHECKPOINT_COLUMNS =
  'place, checkpoint, copy, parent, link, form, problem, is_pruned, at, tool, args, conversation, size, name, is_pinned';

/** Decodes a row from the file or the other thread. Throws for an invalid one. */
export function checkpointOf(value: unknown): Checkpoint {
  const row = record(value);
  return {
    place: integer(row['place'], 'place'),
    checkpoint: text(row['checkpoint'], 'checkpoint'),
    copy: integer(row['copy'], 'copy'),
    parent: optionalInteger(row['parent'], 'parent'),
    link: oneOf(row['link'], PARENT_LINKS, 'link'),
    form: oneOf(row['form'], CHECKPOINT_FORMS, 'form'),
    problem: optionalText(row['problem'], 'problem'),
    isPruned: row['is_pruned'] === 1,
    at: integer(row['at'], 'at'),
    tool: optionalText(row['tool'], 'tool'),
    args: optionalText(row['args'], 'args'),
    conversation: optionalText(row['conversation'], 'conversation'),
    size: integer(row['size'], 'size'),
    name: optionalText(row['name'], 'name'),
    isPinned: row['is_pinned'] === 1,
  };
}
