import type { MemberPath } from '../../base/unreadJson.ts';

/** Paths of states in messages: in results (MCPL §8.2, §8.3) and in `state/update`. */
export const STATE_PATHS: readonly MemberPath[] = [
  ['result', 'state', 'data'],
  ['result', 'state', 'patch'],
  ['params', 'data'],
  ['params', 'patch'],
];
