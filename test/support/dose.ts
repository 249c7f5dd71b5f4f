/**
 * How much of a repetitive or slow test to do: `npm test` takes small doses, so that it stays quick enough to be run at every change;
 * `npm run test:slow` takes the full ones.
 */
export const isFullDose = process.env['MCPL_TEST_DOSE'] === 'full';

export const dose = (small: number, full: number): number => (isFullDose ? full : small);
