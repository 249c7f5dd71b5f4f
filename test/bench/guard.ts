import { describe } from '../harness/progress.ts';

/** Machines are shared: by so much may a try miss its target, and so many in a row may miss it by more. */
export const LENIENCY = 1.2;
export const TRIES = 3;

/** What is guarded: a share of what a peer takes, measured anew by each try. */
export interface Guarded {
  readonly id: string;
  readonly what: string;
  /** The share that is wanted at most. */
  readonly target: number;
  readonly measure: () => Promise<number>;
}

export type Decision = 'met' | 'lost' | 'open';

/** One try that is good enough ends it: what is really slower is slower each time. What is no number is not good. */
export const decide = (tries: readonly number[], target: number): Decision => {
  if (tries.some((ratio) => ratio <= target * LENIENCY)) return 'met';
  return tries.length >= TRIES ? 'lost' : 'open';
};

export interface Outcome {
  readonly guarded: Guarded;
  readonly tries: readonly number[];
  /** Why a measurement came to no end. */
  readonly broken?: string;
}

/** What is cut off at the end of the time is no failure of its own. */
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
 * First everything once, and only then what was lost again: what disturbs the machine has a while to pass. What is open
 * when there is no time left stays open.
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

/** What was measured, try by try, and what the limit is. */
export const outcomeText = (outcome: Outcome): string => {
  const { guarded, tries, broken } = outcome;
  const { id, what, target } = guarded;
  const limit = `target ${share(target)}, fails beyond ${share(target * LENIENCY)}`;
  const measured = tries.length === 0 ? 'not measured' : tries.map(share).join(', ');
  return `${decisionOf(outcome).padEnd(6)} ${id.padEnd(10)} ${measured} (${limit}): ${what}${broken === undefined ? '' : `\n${broken}`}`;
};

/** For the line of the stage: the last try of each. */
export const outcomesNote = (outcomes: readonly Outcome[]): string =>
  outcomes
    .map((outcome) => {
      const last = outcome.tries.at(-1);
      const open = decisionOf(outcome) === 'open' ? ', no time for more' : '';
      return `${outcome.guarded.id} ${last === undefined ? '-' : share(last)} of ${share(outcome.guarded.target)}${open}`;
    })
    .join(', ');
