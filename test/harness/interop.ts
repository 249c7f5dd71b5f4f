import { runInterop, writePage } from '../servers/interop.ts';
import { options } from './commandLine.ts';
import { inProject } from './paths.ts';
import { endEverything, mustRun, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';

onInterrupt(endEverything);

/** Runs the host with published servers. Rewrites docs/interop.md if all of them were tried and work. */
await main(async () => {
  const { only, quick } = options({ only: 'text', quick: 'flag' });
  const results = await runInterop({ only, quick: quick === true }, ({ cells, problems, startMs }) => {
    const [name, version, ...rest] = cells;
    say(`${problems.length === 0 ? '✓' : '✗'} ${name} ${version}  ${rest.join('  ')}  ${startMs} ms to start`);
    for (const problem of problems) say(`    ${problem}`);
  });
  const failed = results.filter(({ problems }) => problems.length > 0).length;
  if (failed === 0 && only === undefined && quick !== true) {
    await writePage(results);
    const prettier = inProject('node_modules/prettier/bin/prettier.cjs');
    await mustRun(process.execPath, [prettier, '--write', inProject('docs/interop.md')], { next: 'See above.' });
    say('docs/interop.md is up to date.');
  }
  say(`${results.length - failed} passed, ${failed} failed`);
  return failed === 0 && results.length > 0 ? 0 : 1;
});
