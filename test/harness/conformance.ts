import { count, runConformance, summary, table } from '../conformance/run.ts';
import { options } from './commandLine.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';

onInterrupt(endEverything);

/** Runs the official conformance suite against this host. */
await main(async () => {
  const { only, client } = options({ only: 'text', client: 'text' });
  const outcomes = await runConformance({ only, client }, ({ verdict, scenario, log }) => {
    if (verdict === 'failed') say(`✗ ${scenario.window} ${scenario.name}\n${log.replaceAll(/^/gm, '    ')}\n`);
  });
  const [passed, failed] = [count(outcomes, 'passed'), count(outcomes, 'failed')];
  say(`\n${table(outcomes)}\n\n${summary(outcomes)}\n${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
