import { failOnLeaks } from './leaks.ts';

/** Loaded by mocha's `--require`: every test must dispose everything that it creates. */
export const mochaHooks = failOnLeaks();
