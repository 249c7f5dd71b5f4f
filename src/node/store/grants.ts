import type { DatabaseSync } from 'node:sqlite';
import type { Grant } from '../../core/index.ts';
import { decodeGrant, nothing, texts, type Values } from './records.ts';
import { reads, type StoreHandlers, writes } from './repository.ts';

export const GRANT_COLUMNS = 'id, direction, kind, server, target, form, at';
export const GRANT_INSERT = `INTO grants (${GRANT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`;

/** What the host allows servers. */
export function grantHandlers(database: DatabaseSync): Pick<StoreHandlers, GrantOperation> {
  const all = database.prepare(`SELECT ${GRANT_COLUMNS} FROM grants ORDER BY at, id`);
  const save = database.prepare(`INSERT OR REPLACE ${GRANT_INSERT}`);
  const revoke = database.prepare('DELETE FROM grants WHERE id IN (SELECT value FROM json_each(?))');
  return {
    'grants.list': reads<'grants.list'>(nothing, () => all.all()),
    'grants.save': writes<'grants.save'>(decodeGrant, (grant) => save.run(...toRow(grant))),
    'grants.revoke': writes<'grants.revoke'>(texts, (ids) => revoke.run(JSON.stringify(ids))),
  };
}

type GrantOperation = 'grants.list' | 'grants.save' | 'grants.revoke';

function toRow({ id, direction, kind, server, target, form, at }: Grant): Values {
  return [id, direction, kind, server, target, form, at];
}
