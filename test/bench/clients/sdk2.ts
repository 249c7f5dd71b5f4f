import { Client, type StandardSchemaV1, type Transport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
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

/** Accepts every result unchanged. */
const ANYTHING: StandardSchemaV1<unknown> = {
  '~standard': { version: 1, vendor: 'bench', validate: (value) => ({ value }) },
};

/**
 * The official client, version 2, in its fastest documented form. `request` takes any Standard Schema. With an empty
 * one a call costs 25 µs of CPU, without a schema 41 (checked as a tool result, like `callTool`), and 58 with a zod
 * schema for any object. Notifications and requests go to the fallback handlers, which check no schema. It opens with
 * `initialize` by default, and then speaks 2025-11-25 like the others: the stateless revision would send more per
 * message.
 */
export const openSdk2: OpenClient = (onNotification) => sdk2To(serverCommand, onNotification);

export const sdk2To = ({ command, args }: ServerCommand, onNotification: () => void): Promise<BenchClient> => {
  const parameters = { command, args: [...args], stderr: 'inherit' as const, maxBufferSize: MAX_BUFFER_SIZE };
  return sdk2Over(new StdioClientTransport(parameters), onNotification);
};

export const sdk2Over = async (transport: Transport, onNotification: () => void): Promise<BenchClient> => {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  client.fallbackNotificationHandler = async () => onNotification();
  client.fallbackRequestHandler = async () => ACCEPTED;
  await client.connect(transport);
  return {
    call: (name, args, onprogress) =>
      client.request({ method: 'tools/call', params: { name, arguments: args } }, ANYTHING, {
        timeout: PATIENCE_MS,
        ...(onprogress === undefined ? {} : { onprogress }),
      }),
    close: () => client.close(),
  };
};
