export { inheritedSecrets } from './inheritedSecrets.ts';
export { endOrphans, SpawnRecords } from './spawnRecords.ts';
export { openStdio } from './stdio.ts';
