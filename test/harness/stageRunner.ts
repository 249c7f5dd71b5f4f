import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { type Counts, add, nothing } from './counts.ts';
import { inProject } from './paths.ts';
import { describe, say, seconds } from './progress.ts';
import type { Stage, StageOptions, StageResult } from './stages.ts';

/** The stages with these names, and those they need. A name also selects its parts: `node` selects `node:cases`. */
export const select = (stages: readonly Stage[], names: readonly string[]): readonly Stage[] => {
  const matches = (stage: Stage, name: string): boolean =>
    [stage.name, stage.also].includes(name) || stage.name.startsWith(`${name}:`);
  const unknown = names.filter((name) => !stages.some((stage) => matches(stage, name)));
  if (unknown.length > 0) {
    const known = stages.map(({ name }) => name).join(', ');
    throw new Error(`There is no stage ${unknown.join(', ')}. Stages: ${known}.`);
  }
  const wanted = new Set(stages.filter((stage) => names.some((name) => matches(stage, name))).map(({ name }) => name));
  for (const stage of stages.toReversed())
    if (wanted.has(stage.name)) for (const need of stage.needs ?? []) wanted.add(need);
  return stages.filter(({ name }) => wanted.has(name));
};

/** Seconds that each stage took in the last run, by name. */
export type Costs = Readonly<Record<string, number>>;

export interface CostMemory {
  readonly costs: () => Costs;
  readonly remember: (stage: string, cost: number) => void;
}

export const costMemory = (file: string): CostMemory => {
  const costs = (): Costs => {
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Costs;
    } catch {
      return {};
    }
  };
  const remember = (stage: string, cost: number): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify({ ...costs(), [stage]: cost }));
  };
  return { costs, remember };
};

/** Two cores run four stages that mostly wait for processes and pages, or two that compute all the time. */
const PLACES = 4;

const placesOf = ({ alone, computes }: Stage): number => {
  if (alone !== undefined) return PLACES;
  return computes === true ? 2 : 1;
};

/** The stages that start now, the longest first. Those that run alone come before or after all others. */
export const nextStages = (waiting: readonly Stage[], running: readonly Stage[], costs: Costs): readonly Stage[] => {
  /** The cost including the longest chain of dependent stages. */
  const costOf = (stage: Stage): number => {
    const later = waiting.filter(({ needs }) => needs?.includes(stage.name)).map(costOf);
    return (costs[stage.name] ?? 0) + Math.max(0, ...later);
  };
  const pending = new Set([...waiting, ...running].map(({ name }) => name));
  const first = waiting.find(({ alone }) => alone === 'first');
  const together = waiting.filter(({ alone }) => alone === undefined);
  const ready = together
    .filter(({ needs }) => !(needs ?? []).some((need) => pending.has(need)))
    .map((stage) => ({ stage, cost: costOf(stage) }))
    .toSorted((a, b) => b.cost - a.cost)
    .map(({ stage }) => stage);
  const last = together.length === 0 ? waiting.slice(0, 1) : [];
  let free = PLACES - running.reduce((sum, stage) => sum + placesOf(stage), 0);
  return (first === undefined ? [...ready, ...last] : [first]).filter((stage) => {
    if (placesOf(stage) > free) return false;
    free -= placesOf(stage);
    return true;
  });
};

const attempt = async (stage: Stage, options: StageOptions): Promise<StageResult> => {
  try {
    return await stage.run(options);
  } catch (error) {
    return { counts: { passed: 0, failed: 1 }, log: describe(error) };
  }
};

/**
 * Shortens the log: Node prints the line of a crash, lines of the editor have megabytes, and frames inside the editor
 * are useless.
 */
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
  for (const test of result.retried ?? []) say(`  │ Ran again after a failure: ${test}`);
  if (failed > 0) say(`${readable(result.log)}\n`);
};

/** Runs every stage, even after failures. A stage whose needs failed counts as one failure. */
export const runStages = async (
  stages: readonly Stage[],
  options: StageOptions,
  memory = costMemory(inProject('out/remembered/stageSeconds.json')),
): Promise<Counts> => {
  const costs = memory.costs();
  const failed = new Set<string>();
  let waiting = stages;
  const running = new Map<Stage, Promise<void>>();
  let total = nothing;
  const isWhole = options.grep === undefined && options.change === undefined;
  const runStage = async (stage: Stage): Promise<void> => {
    const started = Date.now();
    const broken = (stage.needs ?? []).filter((need) => failed.has(need));
    const result =
      broken.length > 0
        ? { counts: { passed: 0, failed: 1 }, log: `Not run, because ${broken.join(' and ')} failed.` }
        : await attempt(stage, options);
    if (result.counts.failed > 0) failed.add(stage.name);
    else if (isWhole) memory.remember(stage.name, Math.round((Date.now() - started) / 100) / 10);
    report(stage, result, started);
    total = add(total, result.counts);
  };
  while (waiting.length > 0 || running.size > 0) {
    const next = nextStages(waiting, [...running.keys()], costs);
    waiting = waiting.filter((stage) => !next.includes(stage));
    for (const stage of next) {
      const done = runStage(stage).finally(() => running.delete(stage));
      running.set(stage, done);
    }
    if (running.size === 0)
      throw new Error(`These stages wait for each other: ${waiting.map(({ name }) => name).join(', ')}.`);
    await Promise.race(running.values());
  }
  return total;
};
