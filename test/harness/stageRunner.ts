import { stripVTControlCharacters } from 'node:util';
import { type Counts, add, nothing } from './counts.ts';
import { describe, say, seconds } from './progress.ts';
import type { Row, Stage, StageOptions, StageResult } from './stages.ts';

const isUsed = ({ length }: readonly unknown[]): boolean => length > 0;

/** The rows with only these stages and what they need, in the same order. */
export const select = (rows: readonly Row[], names: readonly string[]): readonly Row[] => {
  const all = rows.flat(2);
  const unknown = names.filter((name) => !all.some((stage) => stage.name === name));
  if (unknown.length > 0) {
    throw new Error(`There is no stage ${unknown.join(', ')}. Stages: ${all.map(({ name }) => name).join(', ')}.`);
  }
  const wanted = new Set(names);
  for (const stage of all.toReversed())
    if (wanted.has(stage.name)) for (const need of stage.needs ?? []) wanted.add(need);
  const chosen = (lane: Row[number]): Row[number] => lane.filter(({ name }) => wanted.has(name));
  return rows.map((row) => row.map(chosen).filter(isUsed)).filter(isUsed);
};

const attempt = async (stage: Stage, options: StageOptions): Promise<StageResult> => {
  try {
    return await stage.run(options);
  } catch (error) {
    return { counts: { passed: 0, failed: 1 }, log: describe(error) };
  }
};

/** Node prints the line of a crash, and the editor's lines are megabytes long; frames inside the editor say nothing. */
const readable = (log: string): string =>
  stripVTControlCharacters(log)
    .trimEnd()
    .split('\n')
    .filter((line) => !/^\s+at .*(node:internal|\/\.vscode-test\/)/.test(line))
    .map((line) => `  │ ${line.length > 600 ? `${line.slice(0, 600)} …` : line}`)
    .join('\n');

const report = (stage: Stage, result: StageResult, started: number): void => {
  const { passed, failed } = result.counts;
  const many = passed + failed > 1 ? `  ${passed} passed${failed > 0 ? `, ${failed} failed` : ''}` : '';
  const note = result.note === undefined ? '' : `  (${result.note})`;
  say(`${failed === 0 ? '✓' : '✗'} ${stage.name} ${seconds(started)}${many}${note}`);
  if (failed > 0) say(`${readable(result.log)}\n`);
};

/** Runs every stage, whatever failed before; a stage whose needs failed is one failure more, not a misleading log. */
export const runStages = async (rows: readonly Row[], options: StageOptions): Promise<Counts> => {
  const failed = new Set<string>();
  let total = nothing;
  const runStage = async (stage: Stage): Promise<void> => {
    const started = Date.now();
    const broken = (stage.needs ?? []).filter((need) => failed.has(need));
    const result =
      broken.length > 0
        ? { counts: { passed: 0, failed: 1 }, log: `Not run, because ${broken.join(' and ')} failed.` }
        : await attempt(stage, options);
    if (result.counts.failed > 0) failed.add(stage.name);
    report(stage, result, started);
    total = add(total, result.counts);
  };
  for (const row of rows)
    await Promise.all(
      row.map(async (lane) => {
        for (const stage of lane) await runStage(stage);
      }),
    );
  return total;
};
