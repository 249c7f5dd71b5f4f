import type { McplRevision } from '../../../model/mcpl.ts';
import { mcpl02 } from './0.2.ts';

export const mcpl03: McplRevision = {
  version: '0.3',
  traits: { ...mcpl02.traits, scopes: 'handshake+update', blocks: 'mcp', toolsUse: true },
};
