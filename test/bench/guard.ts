import { describe } from '../harness/progress.ts';

/** Tolerance for shared machines: a try may miss its target by this factor, and only several in a row fail. */
export const LENIENCY = 1.2;
export const TRIES = 3;

/** A guarded value: our cost relative to a peer, measured by each try. */
export interface Guarded {
  readonly id: string;
  readonly what: string;
  /** The maximum ratio. */
  readonly target: number;
  readonly measure: () => Promise<number>;
}

export type Decision = 'met' | 'lost' | 'open';

/** One good try is enough, because a real slowdown shows in every try. A value that is no number is not good. */
export const decide = (tries: readonly number[], target: number): Decision => {
  if (tries.some((ratio) => ratio <= target * LENIENCY)) return 'met';
  return tries.length >= TRIES ? 'lost' : 'open';
};

export interface Outcome {
  readonly guarded: Guarded;
  readonly tries: readonly number[];
  /** Why a measurement failed. */
  readonly broken?: string;
}

/** A measurement that is cut off by the time limit is no failure. */
const again = async ({ guarded, tries }: Outcome, hasTime: () => boolean): Promise<Outcome> => {
  try {
    return { guarded, tries: [...tries, await guarded.measure()] };
  } catch (error) {
    return hasTime() ? { guarded, tries, broken: describe(error) } : { guarded, tries };
  }
};

export const decisionOf = ({ guarded, tries, broken }: Outcome): Decision | 'broken' =>
  broken === undefined ? decide(tries, guarded.target) : 'broken';

/**
 * Tries everything once, and then repeats failures, so that disturbances can pass. Measures without time left stay
 * open.
 */
export const guard = async (all: readonly Guarded[], hasTime: () => boolean): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = all.map((guarded) => ({ guarded, tries: [] }));
  for (const upTo of [1, TRIES])
    for (const [index, outcome] of outcomes.entries()) {
      let next = outcome;
      while (decisionOf(next) === 'open' && next.tries.length < upTo && hasTime()) next = await again(next, hasTime);
      outcomes[index] = next;
    }
  return outcomes;
};

const share = (ratio: number): string => ratio.toFixed(ratio < 1 ? 3 : 2);

/** The values of each try, and the limit. */
export const outcomeText = (outcome: Outcome): string => {
  const { guarded, tries, broken } = outcome;
  const { id, what, target } = guarded;
  const limit = `target ${share(target)}, fails beyond ${share(target * LENIENCY)}`;
  const measured = tries.length === 0 ? 'not measured' : tries.map(share).join(', ');
  return `${decisionOf(outcome).padEnd(6)} ${id.padEnd(10)} ${measured} (${limit}): ${what}${broken === undefined ? '' : `\n${broken}`}`;
};

/** The last try of each measure, for the stage's line. */
export const outcomesNote = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map((outcome) => {
      const last = outcome.tries.at(-1);
      const open = decisionOf(outcome) === 'open' ? ', no time for more' : '';
      return `${outcome.guarded.id} ${last === undefined ? '-' : share(last)} of ${share(outcome.guarded.target)}${open}`;
    })
    .join(', ');
