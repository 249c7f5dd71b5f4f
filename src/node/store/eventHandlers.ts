import type { DatabaseSync } from 'node:sqlite';
import { AUDIT_INSERT, AUDIT_VALUES } from './auditRows.ts';
import {
  integer,
  optionalInteger,
  optionalText,
  type PageRequest,
  record,
  type Row,
  texts,
  values,
} from './contract.ts';
import { changes, reads, type StoreHandlers, writes } from './batch.ts';

export const EVENT_COLUMNS =
  'id, server, event_id, source, occurred_at, received_at, inference_id, is_read, outcome, origin, content';
const EVENT_VALUES = EVENT_COLUMNS.split(', ').length;
export const EVENT_INSERT = `INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const SERVER = 1;
const EVENT_ID = 2;

/** Maximum size of all contents, because a thousand large events may fill the disk like many small ones. */
const MAX_BYTES = 256_000_000;

/** Larger pages would block their reader: a thousand small events take 3 ms. */
const PAGE_CHARACTERS = 1_000_000;
const PAGE_EVENTS = 1_000;

/** Push events of servers. */
export function eventHandlers(database: DatabaseSync, mostBytes = MAX_BYTES): Pick<StoreHandlers, EventOperation> {
  const insert = database.prepare(`INSERT ${EVENT_INSERT} ON CONFLICT (server, event_id) DO NOTHING`);
  const insertAudit = database.prepare(`INSERT ${AUDIT_INSERT}`);
  const known = database.prepare('SELECT inference_id FROM events WHERE server = ? AND event_id = ?');
  const page = database.prepare(
    `SELECT place, ${EVENT_COLUMNS} FROM events WHERE place < ? ORDER BY place DESC LIMIT ?`,
  );
  const change = database.prepare(
    'UPDATE events SET outcome = ?, inference_id = coalesce(?, inference_id) WHERE id = ?',
  );
  const markRead = database.prepare(
    'UPDATE events SET is_read = 1 WHERE is_read = 0 AND id IN (SELECT value FROM json_each(?))',
  );
  const clear = database.prepare('DELETE FROM events WHERE server = coalesce(?, server)');
  const remove = database.prepare('DELETE FROM events WHERE id IN (SELECT value FROM json_each(?))');
  const trim = database.prepare(
    'DELETE FROM events WHERE place <= (SELECT place FROM events ORDER BY place DESC LIMIT 1 OFFSET ?)',
  );
  const trimLarge = database.prepare(
    `DELETE FROM events WHERE place <= (
      SELECT max(place) FROM (SELECT place, sum(octet_length(content)) OVER (ORDER BY place DESC) AS total FROM events)
      WHERE total > ?)`,
  );
  return {
    'events.admit': changes<'events.admit'>(values(EVENT_VALUES + AUDIT_VALUES), (both) => {
      const event = both.slice(0, EVENT_VALUES);
      if (insert.run(...event).changes === 1) {
        insertAudit.run(...both.slice(EVENT_VALUES));
        return true;
      }
      const row = known.get(event[SERVER] ?? null, event[EVENT_ID] ?? null);
      return { inferenceId: optionalText(row?.['inference_id'], 'inference_id') ?? null };
    }),
    'events.page': reads<'events.page'>(decodePage, ({ before, limit }) => {
      const rows: Row[] = [];
      let characters = 0;
      for (const row of page.iterate(before ?? Number.MAX_SAFE_INTEGER, Math.min(limit, PAGE_EVENTS))) {
        rows.push(row);
        characters += typeof row['content'] === 'string' ? row['content'].length : 0;
        if (characters >= PAGE_CHARACTERS) break;
      }
      return rows;
    }),
    'events.change': writes<'events.change'>(values(3), (columns) => change.run(...columns)),
    'events.markRead': writes<'events.markRead'>(texts, (ids) => markRead.run(JSON.stringify(ids))),
    'events.clear': writes<'events.clear'>(decodeServer, ({ server }) => clear.run(server)),
    'events.remove': writes<'events.remove'>(texts, (ids) => remove.run(JSON.stringify(ids))),
    'events.trim': writes<'events.trim'>(decodeKeep, ({ keep }) => {
      trim.run(keep);
      trimLarge.run(mostBytes);
    }),
  };
}

type EventOperation =
  | 'events.admit'
  | 'events.page'
  | 'events.change'
  | 'events.markRead'
  | 'events.clear'
  | 'events.remove'
  | 'events.trim';

function decodePage(value: unknown): PageRequest {
  const { before, limit } = record(value);
  return { before: optionalInteger(before, 'before') ?? null, limit: integer(limit, 'limit') };
}

function decodeServer(value: unknown): { readonly server: string | null } {
  return { server: optionalText(record(value)['server'], 'server') ?? null };
}

function decodeKeep(value: unknown): { readonly keep: number } {
  return { keep: integer(record(value)['keep'], 'keep') };
}
