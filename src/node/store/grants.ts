import type { DatabaseSync } from 'node:sqlite';
import { nothing, record, text, texts, values } from './records.ts';
import { reads, type StoreHandlers, writes } from './repository.ts';

export const GRANT_COLUMNS = 'id, direction, kind, server, target, form, at, details';
const GRANT_VALUES = GRANT_COLUMNS.split(', ').length;
export const GRANT_INSERT = `INTO grants (${GRANT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** What the host allows servers. */
export function grantHandlers(database: DatabaseSync): Pick<StoreHandlers, GrantOperation> {
  const all = database.prepare(`SELECT ${GRANT_COLUMNS} FROM grants ORDER BY at, id`);
  const find = database.prepare(`SELECT ${GRANT_COLUMNS} FROM grants WHERE id = ?`);
  const save = database.prepare(`INSERT OR REPLACE ${GRANT_INSERT}`);
  const revoke = database.prepare('DELETE FROM grants WHERE id IN (SELECT value FROM json_each(?))');
  return {
    'grants.list': reads<'grants.list'>(nothing, () => all.all()),
    'grants.find': reads<'grants.find'>(decodeId, ({ id }) => find.get(id) ?? null),
    'grants.save': writes<'grants.save'>(values(GRANT_VALUES), (columns) => save.run(...columns)),
    'grants.revoke': writes<'grants.revoke'>(texts, (ids) => revoke.run(JSON.stringify(ids))),
  };
}

type GrantOperation = 'grants.list' | 'grants.find' | 'grants.save' | 'grants.revoke';

function decodeId(value: unknown): { readonly id: string } {
  return { id: text(record(value)['id'], 'id') };
}
