import { writeFileSync } from 'node:fs';
import { activationTimesOf } from './probing.ts';

/** Called by the editor in its extension host. */
export const run = async (): Promise<void> => {
  const times = await activationTimesOf(process.env['MCPL_BENCH_EXTENSION'] ?? '');
  writeFileSync(process.env['MCPL_BENCH_ACTIVATION'] ?? '', JSON.stringify(times));
};
