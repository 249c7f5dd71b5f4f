import { Script } from 'node:vm';
import { Minimatch, type MinimatchOptions } from 'minimatch';
import picomatch from 'picomatch';
import { type CompiledLists, compileLists } from '../../src/core/scopes/paths/lists.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { seededRandom } from './schedule.ts';
import { ALLOW, DENY, HARD, labelsOf, PLACE } from './scopeCases.ts';
import { median } from './statistics.ts';

/** Measures only the lists, without a host. */
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
 * The minimal code with the same results: each pattern once for the label as a folder, and deny patterns also for paths
 * below. These labels have no capitals, so `loop` may compare case-sensitively. `anyCase` does not.
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

/** Extended globs and `!` are disabled, as for minimatch. */
const PICOMATCH = { dot: true, nonegate: true, noext: true, windows: false };

/** picomatch also matches the folder itself with `/**`, so labels need no "/" at the end. */
const picomatchLoop = (allow = ALLOW, deny = DENY): Decide => {
  const denied = deny.map((pattern) => picomatch(below(pattern), PICOMATCH));
  const allowed = allow.map((pattern) => picomatch(pattern, PICOMATCH));
  return (label) => {
    for (const matches of denied) if (matches(label)) return 'denied';
    for (const matches of allowed) if (matches(label)) return 'allowed';
    return 'unlisted';
  };
};

const alternation = (patterns: readonly string[]): RegExp =>
  new RegExp(patterns.map((pattern) => `(?:${picomatch.makeRe(pattern, PICOMATCH).source})`).join('|'));

/** One regular expression per list, from picomatch's expressions for each pattern: its fastest form. */
const picomatchAsOne = (allow = ALLOW, deny = DENY): Decide => {
  const denied = alternation(deny.map(below));
  const allowed = alternation(allow);
  return (label) => (denied.test(label) ? 'denied' : allowed.test(label) ? 'allowed' : 'unlisted');
};

const compiled = (): CompiledLists =>
  compileLists({ whitelist: ALLOW, blacklist: DENY, isBroken: false }, PLACE, false);

const judging = (lists: CompiledLists): Decide => {
  return (label) => lists.judge({ kind: 'path', forms: [label], shadows: [] });
};

const deciders: Readonly<Record<string, () => Decide>> = {
  loop: () => loop(false),
  anyCase: () => loop(true),
  picomatch: () => picomatchLoop(),
  'as one': () => picomatchAsOne(),
  lists: () => judging(compiled()),
};

const deciderOf = (variant: string): Decide => {
  const make = deciders[variant];
  if (make === undefined) throw new Error(`There is no variant "${variant}".`);
  return make();
};

/** Microseconds per run. */
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

/** Each pattern is in both lists, and the label is new. */
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

const PATIENCE_MS = 4_000;

/** The duration, or `undefined` if it was terminated, because a regular expression cannot be interrupted. */
const inTime = (work: () => void): number | undefined => {
  Object.assign(globalThis, { benchWork: work });
  try {
    const script = new Script('benchWork()');
    return timed(1, () => script.runInThisContext({ timeout: PATIENCE_MS })) / 1_000;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined;
    throw error;
  }
};

/** The same lists and label, once. */
const hardForPicomatch: ScopeProcedure = (variant) => {
  const found = HARD[variant];
  if (found === undefined) throw new Error(`There is no case "${variant}".`);
  decideAll(deciderOf('picomatch'), labelsOf(1_000, seededRandom(SEED)));
  const patterns = Array.from({ length: PATTERNS }, (_, index) => found.pattern(index));
  let decide: Decide = () => '';
  const compile = inTime(() => (decide = picomatchLoop(patterns.slice(0, PATTERNS / 2), patterns.slice(PATTERNS / 2))));
  const judge = compile === undefined ? undefined : inTime(() => decide(found.label));
  return {
    compile: compile ?? PATIENCE_MS,
    judge: judge ?? PATIENCE_MS,
    ended: judge === undefined ? 1 : 0,
  };
};

export const scopeProcedures: Readonly<Record<string, ScopeProcedure>> = {
  decisions,
  repeated,
  compiling,
  hard,
  hardForPicomatch,
};
