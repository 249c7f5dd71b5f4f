import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js';
import {
  ACCEPTED,
  type BenchClient,
  type OpenClient,
  PATIENCE_MS,
  type ServerCommand,
  serverCommand,
} from './client.ts';

/** The default of 10 MiB would close the connection for large results. */
const MAX_BUFFER_SIZE = 512 * 1024 * 1024;

/**
 * The official client in its fastest documented form: `request` with the schema of any result instead of `callTool`,
 * and the fallback handlers, which check no schema.
 */
export const openSdk1: OpenClient = (onNotification) => sdkTo(serverCommand, onNotification);

export const sdkTo = ({ command, args }: ServerCommand, onNotification: () => void): Promise<BenchClient> => {
  const parameters = { command, args: [...args], stderr: 'inherit' as const, maxBufferSize: MAX_BUFFER_SIZE };
  return sdkOver(new StdioClientTransport(parameters), onNotification);
};

export const sdkOver = async (transport: Transport, onNotification: () => void): Promise<BenchClient> => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  client.fallbackNotificationHandler = async () => onNotification();
  client.fallbackRequestHandler = async () => ACCEPTED;
  await client.connect(transport);
  return {
    call: (name, args, onprogress) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, ResultSchema, {
        timeout: PATIENCE_MS,
        ...(onprogress === undefined ? {} : { onprogress }),
      }),
    close: () => client.close(),
  };
};
