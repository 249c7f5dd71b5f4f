import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { AuditTotal, ModelUse } from '../../core/index.ts';
import {
  type AuditPageRequest,
  integer,
  list,
  optionalInteger,
  optionalText,
  record,
  text,
  values,
} from './contract.ts';
import { AUDIT_COLUMNS, AUDIT_INSERT, AUDIT_VALUES } from './auditRows.ts';
import { reads, type StoreHandlers, writes } from './batch.ts';

/** Maximum page size. Use `before` for older records. */
const MAX_PAGE = 5_000;
/** Maximum groups of server and model. Those with the most tokens win. */
const MAX_TOTALS = 1_000;

/** The audit log. Records are never changed. */
export function auditHandlers(database: DatabaseSync): Pick<StoreHandlers, AuditOperation> {
  const insert = database.prepare(`INSERT ${AUDIT_INSERT}`);
  const pageWhere = (condition: string): StatementSync =>
    database.prepare(
      `SELECT place, ${AUDIT_COLUMNS} FROM audit WHERE place < ?${condition} ORDER BY place DESC LIMIT ?`,
    );
  const page = pageWhere('');
  const pageOfServer = pageWhere(' AND server = ?');
  const pageOfOperation = pageWhere(' AND operation = ?');
  // The plus disables the index on `server`, which would scan all records of the server for a few of one operation.
  const pageOfBoth = pageWhere(' AND +server = ? AND operation = ?');
  const used = database.prepare(
    'SELECT at, tokens FROM audit WHERE server = ? AND at >= ? AND tokens IS NOT NULL ORDER BY at, place',
  );
  const totals = database.prepare(
    `SELECT server, operation, coalesce(model, '') AS model, count(*) AS requests, sum(tokens) AS tokens, max(at) AS at
     FROM audit WHERE at >= ? AND tokens IS NOT NULL GROUP BY server, operation, model ORDER BY tokens DESC LIMIT ?`,
  );
  const trim = database.prepare('DELETE FROM audit WHERE at < ?');
  return {
    'audit.append': writes<'audit.append'>(list(values(AUDIT_VALUES)), (records) => {
      for (const each of records) insert.run(...each);
    }),
    'audit.page': reads<'audit.page'>(decodePage, ({ before, limit, server, operation }) => {
      const rowId = before ?? Number.MAX_SAFE_INTEGER;
      const count = Math.min(limit, MAX_PAGE);
      if (operation === null) return server === null ? page.all(rowId, count) : pageOfServer.all(rowId, server, count);
      if (server === null) return pageOfOperation.all(rowId, operation, count);
      return pageOfBoth.all(rowId, server, operation, count);
    }),
    'audit.used': reads<'audit.used'>(decodeSince, ({ server, since }) => used.all(server, since).map(decodeUse)),
    'audit.totals': reads<'audit.totals'>(decodeSinceAll, ({ since }) =>
      totals.all(since, MAX_TOTALS).map(decodeTotal),
    ),
    'audit.trim': writes<'audit.trim'>(decodeBefore, ({ before }) => trim.run(before)),
  };
}

type AuditOperation = 'audit.append' | 'audit.page' | 'audit.used' | 'audit.totals' | 'audit.trim';

export function decodeUse(value: unknown): ModelUse {
  const { at, tokens } = record(value);
  return { at: integer(at, 'at'), tokens: integer(tokens, 'tokens') };
}

export function decodeTotal(value: unknown): AuditTotal {
  const { server, operation, model, requests, tokens, at } = record(value);
  return {
    server: text(server, 'server'),
    operation: text(operation, 'operation'),
    model: text(model, 'model'),
    requests: integer(requests, 'requests'),
    tokens: integer(tokens, 'tokens'),
    at: integer(at, 'at'),
  };
}

function decodePage(value: unknown): AuditPageRequest {
  const { before, limit, server, operation } = record(value);
  return {
    before: optionalInteger(before, 'before') ?? null,
    limit: integer(limit, 'limit'),
    server: optionalText(server, 'server') ?? null,
    operation: optionalText(operation, 'operation') ?? null,
  };
}

function decodeSince(value: unknown): { readonly server: string; readonly since: number } {
  const { server, since } = record(value);
  return { server: text(server, 'server'), since: integer(since, 'since') };
}

function decodeSinceAll(value: unknown): { readonly since: number } {
  return { since: integer(record(value)['since'], 'since') };
}

function decodeBefore(value: unknown): { readonly before: number } {
  return { before: integer(record(value)['before'], 'before') };
}
