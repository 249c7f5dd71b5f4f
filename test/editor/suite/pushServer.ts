import type { Json, JsonObject } from '../../../src/core/index.ts';
import { pushServer } from '../pushServerEntry.ts';
import { mcpLive, setServers, untilServer, untilTools } from './mcpLive.ts';

/** Starts it as `memory` with its sets enabled. */
export const startPushServer = async (rest: object = {}): Promise<void> => {
  await setServers({
    memory: {
      ...pushServer(),
      ...rest,
    },
  });
  await untilTools('memory');
  await untilServer('memory', 'speaking MCPL, with its resource', (server) => {
    const on = server?.mcpl?.sets.filter(({ state }) => state === 'enabled') ?? [];
    return on.length === 2 && server?.resources.length === 1;
  });
};

let pushed = 0;

/** Makes the server push. Resolves with the host's answer. */
export const push = async (content: Json, rest: JsonObject = {}): Promise<unknown> => {
  const { host } = await mcpLive();
  const args = {
    featureSet: 'memory.reminders',
    eventId: `evt-${Date.now()}-${++pushed}`,
    timestamp: '2026-11-18T16:00:00Z',
    origin: { source: 'conversation' },
    payload: { content: typeof content === 'string' ? [{ type: 'text', text: content }] : content },
    ...rest,
  };
  const { modelText } = await host.callTool({ server: 'memory', tool: 'push', args, route: 'api' });
  return JSON.parse(modelText);
};
