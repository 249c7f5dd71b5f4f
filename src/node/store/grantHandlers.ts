import type { DatabaseSync } from 'node:sqlite';
import { type GrantPageRequest, integer, optionalText, record, text, texts, values } from './contract.ts';
import { reads, type StoreHandlers, writes } from './batch.ts';

export const GRANT_COLUMNS = 'id, direction, kind, server, target, form, at, details';
const GRANT_VALUES = GRANT_COLUMNS.split(', ').length;
export const GRANT_INSERT = `INTO grants (${GRANT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** Larger pages would block their reader: a thousand grants take 3 ms. */
const PAGE = 1_000;

/** The rights that servers have. */
export function grantHandlers(database: DatabaseSync): Pick<StoreHandlers, GrantOperation> {
  const page = database.prepare(
    `SELECT rowid AS place, ${GRANT_COLUMNS} FROM grants WHERE rowid > ? AND kind = coalesce(?, kind) ORDER BY rowid LIMIT ${PAGE}`,
  );
  const find = database.prepare(`SELECT ${GRANT_COLUMNS} FROM grants WHERE id = ?`);
  const save = database.prepare(`INSERT OR REPLACE ${GRANT_INSERT}`);
  const revoke = database.prepare('DELETE FROM grants WHERE id IN (SELECT value FROM json_each(?))');
  return {
    'grants.page': reads<'grants.page'>(decodePage, ({ after, kind }) => page.all(after, kind)),
    'grants.find': reads<'grants.find'>(decodeId, ({ id }) => find.get(id) ?? null),
    'grants.save': writes<'grants.save'>(values(GRANT_VALUES), (columns) => save.run(...columns)),
    'grants.revoke': writes<'grants.revoke'>(texts, (ids) => revoke.run(JSON.stringify(ids))),
  };
}

type GrantOperation = 'grants.page' | 'grants.find' | 'grants.save' | 'grants.revoke';

function decodePage(value: unknown): GrantPageRequest {
  const { after, kind } = record(value);
  return { after: integer(after, 'after'), kind: optionalText(kind, 'kind') ?? null };
}

function decodeId(value: unknown): { readonly id: string } {
  return { id: text(record(value)['id'], 'id') };
}
