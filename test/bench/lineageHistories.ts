/** The parent's row for each row, oldest first. -1 for the first. */
export type History = (row: number, random: () => number) => number;

/**
 * Mostly sequential calls, like those of agents. Sometimes a few steps back, rarely far back. Long lines fill the
 * lanes.
 */
const usual: History = (row, random) => {
  const dice = random();
  if (dice < 0.02) return Math.floor(random() * row);
  if (dice < 0.1) return Math.max(0, row - 2 - Math.floor(random() * 20));
  return row - 1;
};

const chain: History = (row) => row - 1;
const star: History = () => 0;
const comb: History = (row) => (row % 2 === 1 ? row - 1 : row - 2);

export const HISTORIES: Readonly<Record<string, History>> = { usual, chain, star, comb };

export const parentsOf = (history: History, count: number, random: () => number): readonly number[] =>
  Array.from({ length: count }, (_, row) => (row === 0 ? -1 : history(row, random)));
