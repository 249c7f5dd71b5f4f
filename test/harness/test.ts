import { options } from './commandLine.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';
import { runStages, select } from './stageRunner.ts';
import { everyStage } from './stages.ts';

onInterrupt(endEverything);

await main(async () => {
  const { only, grep } = options({ only: 'text', grep: 'text' });
  const rows = only === undefined ? everyStage : select(everyStage, only.split(','));
  const { passed, failed } = await runStages(rows, grep === undefined ? {} : { grep });
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
