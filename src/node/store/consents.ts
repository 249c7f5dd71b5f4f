import type { DatabaseSync } from 'node:sqlite';
import type { Consent } from '../../core/index.ts';
import { decodeConsent, nothing, record, text } from './records.ts';
import { reads, type StoreHandlers, writes } from './repository.ts';

const COLUMNS = 'server, fingerprint, grants, at';
const SAVE = `INSERT INTO consents (${COLUMNS}) VALUES (?, ?, ?, ?)
  ON CONFLICT (server, fingerprint) DO UPDATE SET grants = excluded.grants, at = excluded.at`;

/** That a person allowed a server to start. */
export function consentHandlers(database: DatabaseSync): Pick<StoreHandlers, ConsentOperation> {
  const find = database.prepare(`SELECT ${COLUMNS} FROM consents WHERE server = ? AND fingerprint = ?`);
  const all = database.prepare(`SELECT ${COLUMNS} FROM consents ORDER BY at, server, fingerprint`);
  const save = database.prepare(SAVE);
  const forget = database.prepare('DELETE FROM consents WHERE server = ?');
  return {
    'consents.find': reads<'consents.find'>(decodeKey, ({ server, fingerprint }) => {
      const row = find.get(server, fingerprint);
      return row === undefined ? null : fromRow(row);
    }),
    'consents.save': writes<'consents.save'>(decodeConsent, (consent) => save.run(...toRow(consent))),
    'consents.list': reads<'consents.list'>(nothing, () => all.all().map(fromRow)),
    'consents.forget': writes<'consents.forget'>(decodeServer, ({ server }) => forget.run(server)),
  };
}

type ConsentOperation = 'consents.find' | 'consents.save' | 'consents.list' | 'consents.forget';

/** Every consent that a damaged database still gives, read from both ends towards the damage. */
export function salvageConsents(database: DatabaseSync): readonly Consent[] {
  const found = new Map<string, Consent>();
  for (const order of ['ASC', 'DESC'])
    try {
      const rows = database.prepare(`SELECT ${COLUMNS} FROM consents NOT INDEXED ORDER BY rowid ${order}`);
      for (const row of rows.iterate()) keep(found, row);
    } catch {
      // What lies beyond the damage cannot be had from this end.
    }
  return [...found.values()];
}

function keep(found: Map<string, Consent>, row: unknown): void {
  try {
    const consent = fromRow(row);
    found.set(`${consent.server}\n${consent.fingerprint}`, consent);
  } catch {
    // A row that is no consent any more: its server asks again.
  }
}

export function restoreConsents(database: DatabaseSync, consents: readonly Consent[]): void {
  const save = database.prepare(SAVE);
  for (const consent of consents) save.run(...toRow(consent));
}

function toRow(consent: Consent): [string, string, string, number] {
  return [consent.server, consent.fingerprint, JSON.stringify(consent.grants), consent.at];
}

function fromRow(row: unknown): Consent {
  const columns = record(row);
  const grants: unknown = JSON.parse(text(columns['grants'], 'grants'));
  return decodeConsent({ ...columns, grants });
}

function decodeServer(value: unknown): { readonly server: string } {
  return { server: text(record(value)['server'], 'server') };
}

function decodeKey(value: unknown): { readonly server: string; readonly fingerprint: string } {
  return { ...decodeServer(value), fingerprint: text(record(value)['fingerprint'], 'fingerprint') };
}
