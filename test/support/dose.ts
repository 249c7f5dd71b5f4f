/**
 * The amount of repetition in slow tests. `npm test` runs small doses, `npm run test:slow` full ones, and `npm run
 * mutation`, which repeats each test many times, tiny ones.
 */
const given = process.env['MCPL_TEST_DOSE'];
export const isFullDose = given === 'full';

const TINY = 100;

export const dose = (small: number, full: number): number => {
  if (isFullDose) return full;
  return given === 'tiny' ? Math.min(small, TINY) : small;
};
