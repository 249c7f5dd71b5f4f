import { runConformance, summary, table } from '../conformance/run.ts';
import { options } from './commandLine.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';

onInterrupt(endEverything);

/** The official conformance suite against our host. */
await main(async () => {
  const { only, client } = options({ only: 'text', client: 'text' });
  const outcomes = await runConformance({ only, client }, ({ isPassed, scenario, log }) => {
    if (!isPassed) say(`✗ ${scenario.window} ${scenario.name}\n${log.replaceAll(/^/gm, '    ')}\n`);
  });
  const failed = outcomes.filter(({ isPassed }) => !isPassed).length;
  say(`\n${table(outcomes)}\n\n${summary(outcomes)}\n${outcomes.length - failed} passed, ${failed} failed`);
  return failed === 0 && outcomes.length > 0 ? 0 : 1;
});
