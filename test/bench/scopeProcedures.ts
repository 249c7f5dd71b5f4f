import { Minimatch, type MinimatchOptions } from 'minimatch';
import { type CompiledLists, compileLists } from '../../src/core/scopes/lists.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { seededRandom } from './schedule.ts';
import { ALLOW, DENY, HARD, labelsOf, PLACE } from './scopeCases.ts';
import { median } from './statistics.ts';

/** A measurement of the lists alone, without a host. */
export type ScopeProcedure = (variant: string, params: Params) => Metrics;

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

type Decide = (label: string) => string;

const OPTIONS: MinimatchOptions = {
  dot: true,
  nocomment: true,
  nonegate: true,
  noext: true,
  braceExpandMax: 256,
  platform: 'linux',
};

const below = (pattern: string): string => (pattern.endsWith('/**') ? pattern : `${pattern}/**`);

/**
 * As little as gives the same answers: each pattern once, for the label as a folder, a denial also for what is below.
 * These labels have no capitals, so that `loop` may leave out that denials ignore case; `anyCase` does not.
 */
const loop = (nocase: boolean): Decide => {
  const deny = DENY.map((pattern) => new Minimatch(below(pattern), { ...OPTIONS, nocase }));
  const allow = ALLOW.map((pattern) => new Minimatch(pattern, OPTIONS));
  return (label) => {
    const folder = `${label}/`;
    for (const matcher of deny) if (matcher.match(folder)) return 'denied';
    for (const matcher of allow) if (matcher.match(folder)) return 'allowed';
    return 'unlisted';
  };
};

const compiled = (): CompiledLists =>
  compileLists({ whitelist: ALLOW, blacklist: DENY, isBroken: false }, PLACE, false);

const judging = (lists: CompiledLists): Decide => {
  return (label) => lists.judge({ kind: 'path', forms: [label], shadows: [] });
};

const deciders: Readonly<Record<string, () => Decide>> = {
  loop: () => loop(false),
  anyCase: () => loop(true),
  lists: () => judging(compiled()),
};

const deciderOf = (variant: string): Decide => {
  const make = deciders[variant];
  if (make === undefined) throw new Error(`There is no variant "${variant}".`);
  return make();
};

/** Microseconds each. */
const timed = (count: number, work: () => void): number => {
  const started = performance.now();
  work();
  return ((performance.now() - started) * 1_000) / count;
};

const decideAll = (decide: Decide, labels: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = { allowed: 0, denied: 0 };
  for (const label of labels) {
    const verdict = decide(label);
    counts[verdict] = (counts[verdict] ?? 0) + 1;
  }
  return counts;
};

const SEED = 1;

const decisions: ScopeProcedure = (variant, params) => {
  const labels = labelsOf(number(params, 'labels'), seededRandom(SEED));
  decideAll(deciderOf(variant), labels.slice(0, number(params, 'warmUp')));
  const decide = deciderOf(variant);
  let counts: Record<string, number> = {};
  const each = timed(labels.length, () => (counts = decideAll(decide, labels)));
  return { each, ...counts };
};

const repeated: ScopeProcedure = (variant, params) => {
  const labels = labelsOf(number(params, 'labels'), seededRandom(SEED));
  const decide = deciderOf(variant);
  const rounds = number(params, 'rounds');
  for (let round = 0; round < rounds / 4; round++) decideAll(decide, labels);
  let counts: Record<string, number> = {};
  const each = timed(labels.length * rounds, () => {
    for (let round = 0; round < rounds; round++) counts = decideAll(decide, labels);
  });
  return { each, ...counts };
};

const compiling: ScopeProcedure = (variant, params) => {
  const rounds = number(params, 'rounds');
  const took = Array.from({ length: rounds }, () => timed(1, () => deciderOf(variant)) / 1_000);
  return { first: took[0] ?? Number.NaN, usual: median(took) };
};

const PATTERNS = 50;

/** Each pattern allows as well as denies, and the label is new to the lists. */
const hard: ScopeProcedure = (variant, params) => {
  const found = HARD[variant];
  if (found === undefined) throw new Error(`There is no case "${variant}".`);
  decideAll(deciderOf('lists'), labelsOf(1_000, seededRandom(SEED)));
  const patterns = Array.from({ length: PATTERNS }, (_, index) => found.pattern(index));
  const rounds = number(params, 'rounds');
  const took = Array.from({ length: rounds }, () => {
    const half = PATTERNS / 2;
    const lists = { whitelist: patterns.slice(0, half), blacklist: patterns.slice(half), isBroken: false };
    let judge: Decide = () => '';
    const compile = timed(1, () => (judge = judging(compileLists(lists, PLACE, false)))) / 1_000;
    return { compile, judge: timed(1, () => judge(found.label)) / 1_000 };
  });
  return {
    first: took[0]?.judge ?? Number.NaN,
    judge: median(took.map(({ judge }) => judge)),
    compile: median(took.map(({ compile }) => compile)),
  };
};

export const scopeProcedures: Readonly<Record<string, ScopeProcedure>> = { decisions, repeated, compiling, hard };
