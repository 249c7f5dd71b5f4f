import { randomUUID } from 'node:crypto';
import { AUDIT_INSERT } from '../../../src/node/store/auditRows.ts';
import { openDatabase } from '../../../src/node/store/database.ts';
import { EVENT_INSERT } from '../../../src/node/store/eventHandlers.ts';
import type { BenchClient } from './client.ts';

/** Half of a server's open requests: while one half is written, the other is on its way. */
const BATCH = 256;

const SOURCE = JSON.stringify({ kind: 'push', featureSet: 'bench.events' });
const OUTCOME = JSON.stringify({ kind: 'none' });
const ORIGIN = JSON.stringify({ source: 'bench' });
const CONTENT = JSON.stringify([{ type: 'text', text: 'Lorem ipsum dolor sit '.repeat(5) }]);
const OCCURRED = '2026-01-01T00:00:00.000Z';

/**
 * Writes the host's rows of an event with plain `node:sqlite` into the same tables: no server, check, thread or trim.
 * "push" means writing here.
 */
export const openBareStore = async (file: string): Promise<BenchClient> => {
  const { database } = openDatabase(file);
  const event = database.prepare(`INSERT ${EVENT_INSERT}`);
  const audit = database.prepare(`INSERT ${AUDIT_INSERT}`);
  let last = 0;
  const write = (count: number): void => {
    for (let written = 0; written < count; written += BATCH) {
      database.exec('BEGIN IMMEDIATE');
      for (let i = written; i < Math.min(count, written + BATCH); i++) {
        const eventId = `event-${++last}`;
        const now = Date.now();
        event.run(randomUUID(), 'bench', eventId, SOURCE, OCCURRED, now, null, 0, OUTCOME, ORIGIN, CONTENT);
        audit.run(now, 'bench', 'push/event', 'bench.events', null, 'success', 0, `event ${eventId}`, null);
      }
      database.exec('COMMIT');
    }
  };
  return {
    call: async (_tool, { count }) => write(Number(count)),
    close: async () => database.close(),
  };
};
