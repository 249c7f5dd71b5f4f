import type { DatabaseSync } from 'node:sqlite';
import type { Consent } from '../../core/index.ts';
import { decodeConsent, decodeVerdict, nothing, record, text } from './contract.ts';
import { reads, type StoreHandlers, writes } from './batch.ts';

export const CONSENT_COLUMNS = 'server, fingerprint, grants, at';
export const CONSENT_SAVE = `INSERT INTO consents (${CONSENT_COLUMNS}) VALUES (?, ?, ?, ?)
  ON CONFLICT (server, fingerprint) DO UPDATE SET grants = excluded.grants, at = excluded.at`;

/** Start permissions given by the user. */
export function consentHandlers(database: DatabaseSync): Pick<StoreHandlers, ConsentOperation> {
  const find = database.prepare(`SELECT ${CONSENT_COLUMNS} FROM consents WHERE server = ? AND fingerprint = ?`);
  const all = database.prepare(`SELECT ${CONSENT_COLUMNS} FROM consents ORDER BY at, server, fingerprint`);
  const save = database.prepare(CONSENT_SAVE);
  const forget = database.prepare('DELETE FROM consents WHERE server = ?');
  return {
    'consents.find': reads<'consents.find'>(decodeKey, ({ server, fingerprint }) => {
      const row = find.get(server, fingerprint);
      return row === undefined ? null : consentOf(row);
    }),
    'consents.save': writes<'consents.save'>(decodeConsent, (consent) => save.run(...toRow(consent))),
    'consents.list': reads<'consents.list'>(nothing, () => all.all().map(consentOf)),
    'consents.forget': writes<'consents.forget'>(decodeServer, ({ server }) => forget.run(server)),
  };
}

type ConsentOperation = 'consents.find' | 'consents.save' | 'consents.list' | 'consents.forget';

function toRow(consent: Consent): [string, string, string, number] {
  return [consent.server, consent.fingerprint, JSON.stringify(consent.grants), consent.at];
}

export function consentOf(row: unknown): Consent {
  const columns = record(row);
  const grants: unknown = JSON.parse(text(columns['grants'], 'grants'));
  return decodeConsent({ ...columns, grants });
}

function decodeServer(value: unknown): { readonly server: string } {
  return { server: text(record(value)['server'], 'server') };
}

function decodeKey(value: unknown): { readonly server: string; readonly fingerprint: string } {
  return { ...decodeServer(value), ...decodeFingerprint(value) };
}

/** The detected protocol of each server. Salvage leaves this table out, because the host detects it again. */
export function verdictHandlers(database: DatabaseSync): Pick<StoreHandlers, VerdictOperation> {
  const find = database.prepare('SELECT fingerprint, era, mcpl, at FROM verdicts WHERE fingerprint = ?');
  const save = database.prepare('INSERT OR REPLACE INTO verdicts (fingerprint, era, mcpl, at) VALUES (?, ?, ?, ?)');
  const forget = database.prepare('DELETE FROM verdicts WHERE fingerprint = ?');
  return {
    'verdicts.find': reads<'verdicts.find'>(decodeFingerprint, ({ fingerprint }) => {
      const row = find.get(fingerprint);
      return row === undefined ? null : decodeVerdict({ ...row, mcpl: row['mcpl'] === 1 });
    }),
    'verdicts.save': writes<'verdicts.save'>(decodeVerdict, ({ fingerprint, era, mcpl, at }) =>
      save.run(fingerprint, era, mcpl ? 1 : 0, at),
    ),
    'verdicts.forget': writes<'verdicts.forget'>(decodeFingerprint, ({ fingerprint }) => forget.run(fingerprint)),
  };
}

type VerdictOperation = 'verdicts.find' | 'verdicts.save' | 'verdicts.forget';

function decodeFingerprint(value: unknown): { readonly fingerprint: string } {
  return { fingerprint: text(record(value)['fingerprint'], 'fingerprint') };
}
