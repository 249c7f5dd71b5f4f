import { NO_CANCELLATION, NO_LOG, type Transport } from '../../../src/core/index.ts';
import { InitializedSession } from '../../../src/core/session/initializedSession.ts';
import { nodeClock } from '../../../src/node/nodePorts.ts';
import { openStdio } from '../../../src/node/process/stdio.ts';
import {
  ACCEPTED,
  type BenchClient,
  type OpenClient,
  PATIENCE_MS,
  type ServerCommand,
  serverCommand,
} from './client.ts';

/** The project's connection without the host. The difference is the cost of the host. */
export const openPeer: OpenClient = (onNotification) => peerTo(serverCommand, onNotification);

export const peerTo = async (command: ServerCommand, onNotification: () => void): Promise<BenchClient> => {
  const transport = await openStdio({
    ...command,
    cwd: undefined,
    env: process.env,
    onStderr: (line) => process.stderr.write(`${line}\n`),
    onNoise: () => undefined,
  });
  return sessionOver(transport, onNotification);
};

export const sessionOver = async (
  transport: Transport,
  onNotification: () => void,
  onNegotiated: (version: string) => void = () => undefined,
): Promise<BenchClient> => {
  const session = await InitializedSession.open({
    transport,
    clock: nodeClock,
    log: NO_LOG,
    client: { name: 'bench', title: 'Bench', version: '1.0.0' },
    startTimeoutMs: PATIENCE_MS,
    features: [
      { notifications: { 'notifications/message': onNotification }, requests: { 'push/event': () => ACCEPTED } },
    ],
    token: NO_CANCELLATION,
    onNegotiated,
  });
  return {
    call: (name, args, onProgress) =>
      session.request(
        'tools/call',
        { name, arguments: { ...args } },
        onProgress === undefined ? { timeoutMs: PATIENCE_MS } : { timeoutMs: PATIENCE_MS, onProgress },
      ),
    close: async () => {
      session.dispose();
      await transport.close();
    },
  };
};
