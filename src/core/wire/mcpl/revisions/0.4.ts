import type { McplRevision } from '../../../model/mcpl.ts';
import { mcpl03 } from './0.3.ts';

export const mcpl04: McplRevision = {
  version: '0.4',
  traits: { ...mcpl03.traits, stateByResponse: true },
};
