import { options } from './commandLine.ts';
import { node22, node24 } from './paths.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';
import { runStages, select } from './stageRunner.ts';

onInterrupt(endEverything);
process.env['MCPL_TEST_DOSE'] = 'full';

// Only now: the stages read the dose when they are made.
const { alone, installStage, interopStage, journeyStage, mutationStage, nodeStage, packageStage, setupStage } =
  await import('./stages.ts');

const slowStages = [
  setupStage,
  nodeStage('node', node24),
  nodeStage('node22', node22),
  interopStage(false),
  mutationStage,
  packageStage,
  installStage('oldest', '-oldest'),
  journeyStage('journey-oldest', { editor: 'oldest', needs: 'install-oldest', pattern: 'smoke.test.ts' }),
].map(alone);

await main(async () => {
  const { only, grep } = options({ only: 'text', grep: 'text' });
  const rows = only === undefined ? slowStages : select(slowStages, only.split(','));
  const { passed, failed } = await runStages(rows, grep === undefined ? {} : { grep });
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
