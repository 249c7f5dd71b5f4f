import type { MemberPath } from '../../base/unreadJson.ts';

/** Where states are in messages: in results (MCPL §8.2, §8.3), and in what servers tell by `state/update`. */
export const STATE_PLACES: readonly MemberPath[] = [
  ['result', 'state', 'data'],
  ['result', 'state', 'patch'],
  ['params', 'data'],
  ['params', 'patch'],
];
