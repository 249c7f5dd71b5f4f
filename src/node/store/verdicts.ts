import type { DatabaseSync } from 'node:sqlite';
import { decodeVerdict, record, text } from './records.ts';
import { reads, type StoreHandlers, writes } from './repository.ts';

/**
 * What servers were found to speak. Nothing of a damaged file is salvaged into this table: what is missing is found
 * out again.
 */
export function verdictHandlers(database: DatabaseSync): Pick<StoreHandlers, VerdictOperation> {
  const find = database.prepare('SELECT fingerprint, era, mcpl, at FROM verdicts WHERE fingerprint = ?');
  const save = database.prepare('INSERT OR REPLACE INTO verdicts (fingerprint, era, mcpl, at) VALUES (?, ?, ?, ?)');
  const forget = database.prepare('DELETE FROM verdicts WHERE fingerprint = ?');
  return {
    'verdicts.find': reads<'verdicts.find'>(decodeKey, ({ fingerprint }) => {
      const row = find.get(fingerprint);
      return row === undefined ? null : decodeVerdict({ ...row, mcpl: row['mcpl'] === 1 });
    }),
    'verdicts.save': writes<'verdicts.save'>(decodeVerdict, ({ fingerprint, era, mcpl, at }) =>
      save.run(fingerprint, era, mcpl ? 1 : 0, at),
    ),
    'verdicts.forget': writes<'verdicts.forget'>(decodeKey, ({ fingerprint }) => forget.run(fingerprint)),
  };
}

type VerdictOperation = 'verdicts.find' | 'verdicts.save' | 'verdicts.forget';

function decodeKey(value: unknown): { readonly fingerprint: string } {
  return { fingerprint: text(record(value)['fingerprint'], 'fingerprint') };
}
