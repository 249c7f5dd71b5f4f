import { inProject, projectRoot } from './paths.ts';
import { mustRun } from './processes.ts';

let once: Promise<unknown> | undefined;

const strip = (): Promise<unknown> =>
  mustRun(process.execPath, ['--disable-warning=ExperimentalWarning', inProject('test/harness/stripSources.ts')], {
    cwd: projectRoot,
    next: 'See the lines above.',
  });

/** NODE_OPTIONS for processes that run from TypeScript, and all that they start: they find it without its types. */
export const strippedSources = async (): Promise<string> => {
  await (once ??= strip());
  return `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(inProject('test/harness/preStripped.cjs'))}`.trim();
};
