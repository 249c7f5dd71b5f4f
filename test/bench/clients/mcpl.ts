import { openBareStore } from './bareStore.ts';
import { openCheckingHost } from './checkingHost.ts';
import { mcplServer, type OpenClient } from './client.ts';
import { floorTo } from './floor.ts';
import { GENEROUS, hostTo, mcplEntry } from './host.ts';
import { peerTo } from './peer.ts';
import { sdkTo } from './sdk1.ts';
import { sdk2To } from './sdk2.ts';
import { storeIn, withFolder } from './withFolder.ts';

/** Clients of a server that pushes events. All except the host accept everything. */
export const mcplOpeners: Readonly<Record<string, OpenClient>> = {
  floor: (onNotification) => floorTo(mcplServer(), onNotification),
  peer: (onNotification) => peerTo(mcplServer(), onNotification),
  sdk1: (onNotification) => sdkTo(mcplServer(), onNotification),
  sdk2: (onNotification) => sdk2To(mcplServer(), onNotification),
  checked: () => openCheckingHost(),
  host: () => hostTo(mcplEntry(), { limits: GENEROUS }),
  stored: withFolder((folder) => hostTo(mcplEntry(), { limits: GENEROUS, storageFile: storeIn(folder) })),
  sqlite: withFolder((folder) => openBareStore(storeIn(folder))),
};
