/**
 * How much of a repetitive or slow test to do: `npm test` takes small doses, so that it stays quick enough to be run at every change;
 * `npm run test:slow` takes the full ones. `npm run mutation` repeats each test many times, and takes tiny ones.
 */
const given = process.env['MCPL_TEST_DOSE'];
export const isFullDose = given === 'full';

const TINY = 100;

export const dose = (small: number, full: number): number => {
  if (isFullDose) return full;
  return given === 'tiny' ? Math.min(small, TINY) : small;
};
