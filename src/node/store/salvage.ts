import type { DatabaseSync } from 'node:sqlite';
import { AUDIT_COLUMNS, AUDIT_INSERT } from './audit.ts';
import { entryOf } from './auditRows.ts';
import { CONSENT_COLUMNS, CONSENT_SAVE, consentOf } from './consents.ts';
import { EVENT_COLUMNS, EVENT_INSERT } from './events.ts';
import { eventOf } from './eventRows.ts';
import { grantOf } from './grantRows.ts';
import { GRANT_COLUMNS, GRANT_INSERT } from './grants.ts';
import { isValue, placeOf, type Row, text, type Values } from './records.ts';

/** How one table is taken over. What servers were found to speak is not: it is found out again. */
interface SalvagedTable {
  readonly table: string;
  /** As a person calls what it holds. */
  readonly name: string;
  readonly columns: string;
  readonly insert: string;
  /** Throws for a row that is none of ours any more. */
  readonly decode: (row: Row) => unknown;
}

const TABLES: readonly SalvagedTable[] = [
  {
    table: 'consents',
    name: 'start permissions',
    columns: CONSENT_COLUMNS,
    insert: CONSENT_SAVE,
    decode: consentOf,
  },
  {
    table: 'grants',
    name: 'feature set and scope permissions',
    columns: GRANT_COLUMNS,
    insert: `INSERT OR IGNORE ${GRANT_INSERT}`,
    decode: grantOf,
  },
  {
    table: 'events',
    name: 'events',
    columns: EVENT_COLUMNS,
    insert: `INSERT OR IGNORE ${EVENT_INSERT}`,
    decode: eventOf,
  },
  { table: 'audit', name: 'audit records', columns: AUDIT_COLUMNS, insert: `INSERT ${AUDIT_INSERT}`, decode: entryOf },
];

/** Of one table: enough for years of use, and no more than fits into memory whatever the file says. */
const MAX_CHARACTERS = 64_000_000;

/** What a damaged database still gives. */
export class Salvage {
  /** By table, then by the row's place in it. */
  readonly #found = new Map<string, ReadonlyMap<number, Values>>();

  /** In words: how much of what; nothing where there is nothing. */
  get summary(): string {
    return TABLES.map(({ table, name }) => ({ name, count: this.#found.get(table)?.size ?? 0 }))
      .filter(({ count }) => count > 0)
      .map(({ name, count }) => `${name} ${count}`)
      .join(', ');
  }

  read(damaged: DatabaseSync): void {
    for (const table of TABLES) this.#found.set(table.table, readTable(damaged, table));
  }

  restore(database: DatabaseSync): void {
    if (this.summary === '') return;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { table, insert } of TABLES) {
        const statement = database.prepare(insert);
        const inOrder = [...(this.#found.get(table) ?? [])].sort(([a], [b]) => a - b);
        for (const [, columns] of inOrder) statement.run(...columns);
      }
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}

/** Reads from both ends towards the damage, the newest first. */
function readTable(damaged: DatabaseSync, { table, columns, decode }: SalvagedTable): ReadonlyMap<number, Values> {
  const found = new Map<number, Values>();
  const names = columns.split(', ');
  let characters = 0;
  for (const order of ['DESC', 'ASC'])
    try {
      const all = damaged.prepare(
        `SELECT rowid AS place, ${selection(damaged, table, names)} FROM ${table} NOT INDEXED ORDER BY rowid ${order}`,
      );
      for (const row of all.iterate()) {
        const values = valuesOf(row, names, decode);
        const place = placeOf(row);
        if (values === undefined || found.has(place)) continue;
        characters += lengthOf(values);
        if (characters > MAX_CHARACTERS) return found;
        found.set(place, values);
      }
    } catch {
      // What lies beyond the damage cannot be had from this end.
    }
  return found;
}

/** A file of an earlier version lacks the newer columns. */
function selection(damaged: DatabaseSync, table: string, names: readonly string[]): string {
  const columns = damaged.prepare('SELECT name FROM pragma_table_info(?)').all(table);
  const there = new Set(columns.map((column) => text(column['name'], 'name')));
  return names.map((name) => (there.has(name) ? name : `NULL AS ${name}`)).join(', ');
}

function valuesOf(row: Row, names: readonly string[], decode: (row: Row) => unknown): Values | undefined {
  try {
    decode(row);
    const values = names.map((name) => row[name]);
    return values.every(isValue) ? values : undefined;
  } catch {
    return undefined;
  }
}

function lengthOf(values: Values): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0);
}
