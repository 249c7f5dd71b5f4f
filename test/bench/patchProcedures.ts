import { isDeepStrictEqual } from 'node:util';
import fastJsonPatch, { type Operation as FastOperation } from 'fast-json-patch';
import { applyPatch } from 'rfc6902';
import { isJsonArray, type Json, parseJson } from '../../src/core/base/json.ts';
import { PatchableState } from '../../src/core/states/patches/patches.ts';
import { EXTRAS } from '../fixtures/patches/extras.ts';
import type { PatchCase } from '../fixtures/patches/patchCase.ts';
import { SPECIFICATION, SUITE } from '../fixtures/patches/suite.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { type NotePatch, type NoteState, patchesFor, stateOf } from './patchCases.ts';
import { seededRandom } from './schedule.ts';
import { median } from './statistics.ts';

/** Measures only the application of patches. */
export type PatchProcedure = (variant: string, params: Params) => Metrics;

const number = (params: Params, name: string): number => {
  const value = params[name];
  if (typeof value !== 'number') throw new Error(`The measurement needs the number "${name}".`);
  return value;
};

const known = <T>(table: Readonly<Record<string, T>>, variant: string): T => {
  const found = table[variant];
  if (found === undefined) throw new Error(`There is no variant "${variant}".`);
  return found;
};

/** Applies a patch and drops the result. Throws if it does not fit. */
type Apply = (patch: NotePatch) => void;
interface Open {
  readonly apply: Apply;
  value(): unknown;
}

const withLibrary = (state: NoteState, patch: NotePatch): void => {
  for (const error of applyPatch(state, [...patch])) if (error !== null) throw error;
};

/** In place, which is the default. With `validate`, it checks each operation before it applies it. */
const withFast = (text: string, validate: boolean): Open => {
  const state = JSON.parse(text) as NoteState;
  return {
    apply: (patch) => void fastJsonPatch.applyPatch(state, patch as FastOperation[], validate),
    value: () => state,
  };
};

const withWhole = (text: string, work: (state: NoteState) => unknown): Open => {
  const state = JSON.parse(text) as NoteState;
  return { apply: () => void work(state), value: () => state };
};

const OPENERS: Readonly<Record<string, (text: string) => Open>> = {
  rfc6902: (text) => {
    const state = JSON.parse(text) as NoteState;
    return { apply: (patch) => withLibrary(state, patch), value: () => state };
  },
  state: (text) => {
    const state = new PatchableState(parseJson(text), text.length);
    return {
      apply: (patch) => {
        const outcome = state.apply(patch as unknown as Json);
        if (outcome.kind === 'refused') throw new Error(outcome.problem);
      },
      value: () => state.value,
    };
  },
  'fast-json-patch': (text) => withFast(text, true),
  'fast, no validate': (text) => withFast(text, false),
  // Without a patch: only the serialization or parsing of a state.
  'JSON.parse': (text) => withWhole(text, () => JSON.parse(text)),
  'JSON.stringify': (text) => withWhole(text, (state) => JSON.stringify(state)),
  clone: (text) => {
    let state = JSON.parse(text) as NoteState;
    return {
      apply: (patch) => {
        const next = structuredClone(state);
        withLibrary(next, patch);
        state = next;
      },
      value: () => state,
    };
  },
};

const SEED = 1;

/** CPU time of this thread, which other programs do not affect. */
const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/**
 * Microseconds per patch, for many consecutive patches of one state. The delayed removal of members is not counted: it
 * costs less than the following serialization.
 */
const patching: PatchProcedure = (variant, params) => {
  const random = seededRandom(SEED);
  const state = stateOf(number(params, 'characters'), random);
  const count = number(params, 'patches');
  const rounds = number(params, 'rounds');
  // Separate patches for each library, because some make values of a patch part of the state.
  const texts = Array.from({ length: rounds + 1 }, () => '');
  const all = patchesFor(state, count * texts.length, random);
  for (const index of texts.keys()) texts[index] = JSON.stringify(all.slice(index * count, (index + 1) * count));
  const { apply, value } = known(OPENERS, variant)(JSON.stringify(state));
  const taken = texts.map((text) => {
    const patches = JSON.parse(text) as NotePatch[];
    const started = cpuMs();
    for (const patch of patches) apply(patch);
    return ((cpuMs() - started) * 1_000) / count;
  });
  return { each: median(taken.slice(1)), left: JSON.stringify(value()).length };
};

const WHOLE: readonly string[] = ['clone', 'JSON.parse', 'JSON.stringify'];

/** Each needs a complete state, so fewer are enough. */
const cloning: PatchProcedure = (variant, params) =>
  patching(variant, WHOLE.includes(variant) ? { ...params, patches: number(params, 'clones') } : params);

type Outcome = { readonly value: unknown } | undefined;

const appliedByFast = (document: Json, patch: Json, validate: boolean): Outcome => ({
  value: fastJsonPatch.applyPatch(document, patch as unknown as FastOperation[], validate).newDocument,
});

/** The state after a patch, or `undefined` if it was refused and the state is unchanged. */
const APPLIERS: Readonly<Record<string, (document: Json, patch: Json) => Outcome>> = {
  rfc6902: (document, patch) => {
    if (!isJsonArray(patch)) throw new Error('It maps over the operations.');
    const errors = applyPatch(document, patch as unknown as Parameters<typeof applyPatch>[1]);
    return errors.some((error) => error !== null) ? undefined : { value: document };
  },
  state: (document, patch) => {
    const state = new PatchableState(document, JSON.stringify(document).length);
    return state.apply(patch).kind === 'refused' ? undefined : { value: state.value };
  },
  'fast-json-patch': (document, patch) => appliedByFast(document, patch, true),
  'fast, no validate': (document, patch) => appliedByFast(document, patch, false),
};

const copyOf = (value: Json): Json => parseJson(JSON.stringify(value));

const passes = (apply: (document: Json, patch: Json) => Outcome, { document, patch, result }: PatchCase): boolean => {
  const own = copyOf(document);
  let outcome: Outcome;
  try {
    outcome = apply(own, copyOf(patch));
  } catch {
    outcome = undefined;
  }
  if (result === undefined) return outcome === undefined && JSON.stringify(own) === JSON.stringify(document);
  return outcome !== undefined && isDeepStrictEqual(outcome.value, result.value);
};

const patchSuite: PatchProcedure = (variant) => {
  const apply = known(APPLIERS, variant);
  const count = (cases: readonly PatchCase[]): number => cases.filter((one) => passes(apply, one)).length;
  return { suite: count(SUITE), specification: count(SPECIFICATION), extras: count(EXTRAS) };
};

export const patchProcedures: Readonly<Record<string, PatchProcedure>> = { patching: cloning, patchSuite };
