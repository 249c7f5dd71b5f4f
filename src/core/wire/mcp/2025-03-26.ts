import { revision } from '../revision.ts';
import { rev20241105 } from './2024-11-05.ts';

export const rev20250326 = revision(rev20241105, {
  version: '2025-03-26',
  traits: { batching: true, audio: true, completionsCapability: true },
});
