import { findChange } from './changedFiles.ts';
import { options } from './commandLine.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';
import { runStages, select } from './stageRunner.ts';
import { changeStages, everyStage } from './stages.ts';

onInterrupt(endEverything);

await main(async () => {
  const { only, grep, changed } = options({ only: 'text', grep: 'text', changed: 'flag' });
  const change = changed === true ? await findChange() : undefined;
  if (change !== undefined)
    say(`${change.files.length} changed files, ${change.tests.length} test files depend on them`);
  const names = only?.split(',') ?? (change === undefined ? undefined : changeStages(change));
  const { passed, failed } = await runStages(names === undefined ? everyStage : select(everyStage, names), {
    ...(grep !== undefined && { grep }),
    ...(change !== undefined && { change }),
  });
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
