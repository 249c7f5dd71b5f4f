import { failOnLeaks } from './leaks.ts';

/** Loaded by `--require` of mocha: every test of the run must let go of what it made. */
export const mochaHooks = failOnLeaks();
