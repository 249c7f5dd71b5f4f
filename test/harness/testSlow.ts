import { options } from './commandLine.ts';
import { inProject, node22, node24 } from './paths.ts';
import { endEverything, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';
import { costMemory, runStages, select } from './stageRunner.ts';
import type { Stage } from './stages.ts';

onInterrupt(endEverything);
process.env['MCPL_TEST_DOSE'] = 'full';

// Imported late, because the stages read the dose when they are created.
const stages = await import('./stages.ts');

const everyNodeTest = ['test/node/**/*.test.ts'];

const slowStages = [
  stages.setupStage,
  stages.unitStage,
  stages.nodeStage('node', node24, everyNodeTest),
  stages.nodeStage('node22', node22, everyNodeTest),
  stages.interopStage(false),
  stages.mutationStage,
  stages.buildStage,
  stages.packageStage,
  stages.installStage('oldest', '-oldest'),
  stages.journeyStage('journey-oldest', { editor: 'oldest', needs: 'install-oldest', pattern: 'smoke.test.ts' }),
].map((stage): Stage => ({ ...stage, alone: 'last' }));

await main(async () => {
  const { only, grep } = options({ only: 'text', grep: 'text' });
  const { passed, failed } = await runStages(
    only === undefined ? slowStages : select(slowStages, only.split(',')),
    grep === undefined ? {} : { grep },
    costMemory(inProject('out/remembered/slowStageSeconds.json')),
  );
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0 ? 0 : 1;
});
