import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { copyOnce } from './editorCache.ts';
import { projectSuites } from './editorTests.ts';
import { cacheFolder, inProject, projectRoot } from './paths.ts';
import { mustRun } from './processes.ts';
import { main, say } from './progress.ts';
import { buildContributor, buildFakeModel, bundleSuites } from './testBundles.ts';

/** Prepares the launch configurations in .vscode/launch.json. */
await main(async () => {
  await mustRun(process.execPath, [inProject('esbuild.mjs'), '--dev'], {
    cwd: projectRoot,
    next: 'Correct the errors above.',
  });
  await bundleSuites(projectSuites());
  await buildFakeModel();
  await buildContributor();
  await mkdir(join(cacheFolder, 'start'), { recursive: true });
  await copyOnce(inProject('test/sample/workspace'), join(cacheFolder, 'start/workspace'));
  say('Ready to debug.');
  return 0;
});
