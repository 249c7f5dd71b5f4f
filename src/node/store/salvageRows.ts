import type { DatabaseSync } from 'node:sqlite';
import { isValue, type Row, text, type Values } from './contract.ts';

/** How to read one table. */
export interface SalvagedTable {
  readonly table: string;
  readonly columns: string;
  /** The key column, in storage order. */
  readonly key: string;
  /** Maximum characters to read, because all of them are held in memory. */
  readonly most: number;
  /** Throws for an invalid row. */
  readonly decode: (row: Row) => unknown;
}

/** Reads from both ends up to the damage, newest rows first. Returns rows in key order. */
export function readTable(damaged: DatabaseSync, { table, columns, key, most, decode }: SalvagedTable): Values[] {
  const newest = new Map<string, Values>();
  const oldest = new Map<string, Values>();
  const names = columns.split(', ');
  let characters = 0;
  for (const [order, found] of [
    ['DESC', newest],
    ['ASC', oldest],
  ] as const)
    try {
      const inOrder = key.replaceAll(/\w+/g, `$& ${order}`);
      const all = damaged.prepare(
        `SELECT json_array(${key}) AS row_key, ${selection(damaged, table, names)} FROM ${table} NOT INDEXED ORDER BY ${inOrder}`,
      );
      for (const row of all.iterate()) {
        const values = valuesOf(row, names, decode);
        const rowKey = text(row['row_key'], 'row_key');
        if (newest.has(rowKey)) break;
        if (values === undefined) continue;
        characters += lengthOf(values);
        if (characters > most) break;
        found.set(rowKey, values);
      }
    } catch {
      // Rows beyond the damage cannot be read from this end.
    }
  return [...oldest.values(), ...[...newest.values()].reverse()];
}

/** Files of earlier versions lack newer columns. */
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
