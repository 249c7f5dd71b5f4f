import { readdir } from 'node:fs/promises';
import { type Logger, messageOf } from '../../core/index.ts';

/** Ends what a host that was killed left running. Mostly that is nothing, and then what would end it is not loaded. */
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
