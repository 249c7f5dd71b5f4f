import { mkdir, writeFile } from 'node:fs/promises';
import { options } from '../harness/commandLine.ts';
import { inProject, outFolder } from '../harness/paths.ts';
import { main, Problem, say } from '../harness/progress.ts';
import { PARTS, report, runMutation, weakParts } from './mutationRun.ts';

const number = (name: string, text: string | undefined): number | undefined => {
  if (text === undefined || /^[1-9]\d{0,8}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw new Problem(`--${name} must be a positive integer.`);
};

// Changes one expression of the core at a time, and sees whether a unit test notices.
await main(async () => {
  const given = options({ only: 'text', file: 'text', sample: 'text', seed: 'text', workers: 'text' });
  const only = given.only?.split(',');
  const unknown = only?.filter((part) => !Object.hasOwn(PARTS, part)) ?? [];
  if (unknown.length > 0)
    throw new Problem(`There is no part "${unknown.join(', ')}". There are: ${Object.keys(PARTS).join(', ')}.`);
  const outcomes = await runMutation({
    only,
    file: given.file,
    sample: number('sample', given.sample),
    seed: number('seed', given.seed),
    workers: number('workers', given.workers),
    say,
  });
  const lines = report(outcomes);
  await mkdir(outFolder, { recursive: true });
  await writeFile(inProject('out/mutation.txt'), `${lines.join('\n')}\n`);
  for (const line of lines) say(line);
  return weakParts(outcomes).length === 0 ? 0 : 1;
});
