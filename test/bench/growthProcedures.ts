import { recordProcedures } from './growthRecords.ts';
import type { GrowthProcedure } from './growthReadings.ts';
import { growingServers } from './growthServers.ts';
import { growingStates } from './growthStates.ts';
import { growingTools } from './growthTools.ts';

export const growthProcedures: Readonly<Record<string, GrowthProcedure>> = {
  ...recordProcedures,
  growingServers,
  growingStates,
  growingTools,
};
