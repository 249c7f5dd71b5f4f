import { options } from './commandLine.ts';
import { runEditorTests } from './editorTests.ts';
import { inProject, projectRoot } from './paths.ts';
import { endEverything, mustRun, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';

onInterrupt(endEverything);

await main(async () => {
  const asked = options({ grep: 'text', tests: 'text', workspace: 'text', 'no-build': 'flag' });
  if (asked['no-build'] !== true) {
    await mustRun(process.execPath, [inProject('esbuild.mjs'), '--dev'], {
      cwd: projectRoot,
      next: 'Correct the errors above.',
    });
  }
  const { counts, log, editor } = await runEditorTests(asked);
  say(log.trimEnd());
  say(`\nEditor: ${editor}. Screenshots: out/screenshots.`);
  say(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.failed === 0 && counts.passed > 0 ? 0 : 1;
});
