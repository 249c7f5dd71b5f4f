import { mkdir, writeFile } from 'node:fs/promises';
import { options } from '../harness/commandLine.ts';
import { inProject, outFolder } from '../harness/paths.ts';
import { main, Problem, say } from '../harness/progress.ts';
import { kills, PARTS, report, runMutation, TEST_FOLDERS, weakParts } from './mutationRun.ts';

const number = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Problem(`--${name} must be a positive integer.`);
};

const listOf = (what: string, text: string | undefined, known: readonly string[]): readonly string[] | undefined => {
  const names = text?.split(',');
  const unknown = names?.filter((name) => !known.includes(name.replace(/\/.*/, ''))) ?? [];
  if (unknown.length > 0)
    throw new Problem(`There is no ${what} "${unknown.join(', ')}". There are: ${known.join(', ')}.`);
  return names;
};

// Changes one expression of the core at a time, and sees whether a unit test notices.
await main(async () => {
  const given = options({ only: 'text', file: 'text', tests: 'text', sample: 'text', seed: 'text', workers: 'text' });
  const only = listOf('part', given.only, Object.keys(PARTS));
  const tests = listOf('folder of tests', given.tests, TEST_FOLDERS);
  const outcomes = await runMutation({
    only,
    file: given.file,
    tests,
    sample: number('sample', given.sample),
    seed: number('seed', given.seed),
    workers: number('workers', given.workers),
    say,
  });
  const lines = report(outcomes);
  await mkdir(outFolder, { recursive: true });
  await writeFile(inProject('out/mutation.txt'), `${[...lines, ...kills(outcomes)].join('\n')}\n`);
  for (const line of lines) say(line);
  return weakParts(outcomes).length === 0 ? 0 : 1;
});
