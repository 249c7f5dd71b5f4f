import { readdir } from 'node:fs/promises';
import { type Logger, messageOf } from '../../core/index.ts';

/** Ends processes that a killed host left running. Loads the code for that only if there are records. */
export async function endLeftovers(folder: string, log: Logger): Promise<void> {
  try {
    const records = await readdir(folder).catch(() => []);
    if (records.length === 0) return;
    const { endOrphans } = await import('./lazy.ts');
    const count = await endOrphans(folder, { log });
    if (count > 0) log.log('info', `Ended ${count} servers that an earlier session left running.`);
  } catch (error) {
    log.log('warn', `Servers of an earlier session may still run: ${messageOf(error)}`);
  }
}
