export { inheritedSecrets } from './childEnvironment.ts';
export { endOrphans, SpawnRecords } from './spawnRecords.ts';
export { openStdio } from './stdio.ts';
