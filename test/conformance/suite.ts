/**
 * Runs scenarios of the official suite in turn, in one process: loading the suite takes longer than most scenarios.
 * run.ts sends the arguments of each scenario, and gets a message when it ends.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suiteFolder } from './scenarios.ts';

const program = join(suiteFolder, 'dist/index.js');

const exit = process.exit.bind(process);

let count = 0;

const runScenario = async (args: readonly string[]): Promise<void> => {
  process.argv = [process.execPath, program, ...args];
  const end = new Promise<void>((resolve) => {
    process.exit = (() => resolve()) as typeof process.exit;
  });
  // The program reads its arguments when it loads, so each scenario loads a copy of it. Its packages stay loaded.
  await import(`${pathToFileURL(program).href}?${count++}`);
  await end;
};

process.on('message', (args: readonly string[]) => {
  runScenario(args).then(
    () => process.send?.('done'),
    () => exit(1),
  );
});
process.on('disconnect', () => exit());
