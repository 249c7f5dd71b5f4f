import { inProject, projectRoot } from './paths.ts';
import { mustRun } from './processes.ts';

let once: Promise<unknown> | undefined;

const strip = (): Promise<unknown> =>
  mustRun(process.execPath, ['--disable-warning=ExperimentalWarning', inProject('test/harness/stripSources.ts')], {
    cwd: projectRoot,
    next: 'See the lines above.',
  });

/**
 * Environment for processes that run the same sources repeatedly, and for their children: TypeScript is found without
 * types, and compiled code is shared.
 */
export const preparedSources = async (): Promise<Readonly<Record<string, string>>> => {
  await (once ??= strip());
  const preload = `--require ${JSON.stringify(inProject('test/harness/preStripped.cjs'))}`;
  return {
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} ${preload}`.trim(),
    NODE_COMPILE_CACHE: inProject('out/remembered/compiled'),
  };
};
