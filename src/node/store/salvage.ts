import type { DatabaseSync } from 'node:sqlite';
import { AUDIT_COLUMNS, AUDIT_INSERT, entryOf } from './auditRows.ts';
import { CONSENT_COLUMNS, CONSENT_SAVE, consentOf } from './consentHandlers.ts';
import { EVENT_COLUMNS, EVENT_INSERT } from './eventHandlers.ts';
import { eventOf } from './eventRows.ts';
import { GRANT_COLUMNS, GRANT_INSERT } from './grantHandlers.ts';
import { grantOf } from './grantRows.ts';
import type { Values } from './contract.ts';
import { readTable, type SalvagedTable } from './salvageRows.ts';
import { LineageSalvage } from './states/lineageSalvage.ts';

/** How to salvage a table. Protocol verdicts are not salvaged, because they are determined again. */
interface TakenTable extends SalvagedTable {
  /** Name of its content, for messages. */
  readonly name: string;
  readonly insert: string;
}

/** Maximum per table: enough for years of use. */
const USUAL = { key: 'rowid', most: 64_000_000 };

const TABLES: readonly TakenTable[] = [
  {
    ...USUAL,
    table: 'consents',
    name: 'start permissions',
    columns: CONSENT_COLUMNS,
    insert: CONSENT_SAVE,
    decode: consentOf,
  },
  {
    ...USUAL,
    table: 'grants',
    name: 'feature set and scope permissions',
    columns: GRANT_COLUMNS,
    insert: `INSERT OR IGNORE ${GRANT_INSERT}`,
    decode: grantOf,
  },
  {
    ...USUAL,
    table: 'events',
    name: 'events',
    columns: EVENT_COLUMNS,
    insert: `INSERT OR IGNORE ${EVENT_INSERT}`,
    decode: eventOf,
  },
  {
    ...USUAL,
    table: 'audit',
    name: 'audit records',
    columns: AUDIT_COLUMNS,
    insert: `INSERT ${AUDIT_INSERT}`,
    // `place` is the row id, which is not salvaged.
    decode: (row) => entryOf({ place: 1, ...row }),
  },
];

/** Rows salvaged from a damaged database. */
export class Salvage {
  readonly #found = new Map<string, readonly Values[]>();
  readonly #lineages = new LineageSalvage();

  /** A summary such as "start permissions 3". Empty if nothing was salvaged. */
  get summary(): string {
    const counts = TABLES.map(({ table, name }) => ({ name, count: this.#found.get(table)?.length ?? 0 }));
    return [...counts, { name: 'checkpoints', count: this.#lineages.count }]
      .filter(({ count }) => count > 0)
      .map(({ name, count }) => `${name} ${count}`)
      .join(', ');
  }

  read(damaged: DatabaseSync): void {
    for (const table of TABLES) this.#found.set(table.table, readTable(damaged, table));
    this.#lineages.read(damaged);
  }

  restore(database: DatabaseSync): void {
    if (this.summary === '') return;
    database.exec('BEGIN IMMEDIATE');
    try {
      for (const { table, insert } of TABLES) {
        const statement = database.prepare(insert);
        for (const columns of this.#found.get(table) ?? []) statement.run(...columns);
      }
      this.#lineages.restore(database);
      database.exec('COMMIT');
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
