/** A server that pushes the arguments of its tool, and its start arguments as soon as it may. */
export const PUSH_SERVER = `
const waiting = new Map();
let last = 0;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const sets = Object.fromEntries(['memory.reminders', 'memory.news'].map((name) => [name, {
  description: 'Tells of ' + name, uses: ['pushEvents'], scoped: false, rollback: false, hostState: false,
}]));
const answer = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    serverInfo: { name: 'pusher', version: '1' },
    capabilities: {
      tools: {}, resources: {},
      experimental: { mcpl: { version: '0.2', pushEvents: true, featureSets: sets } },
    },
  }),
  'tools/list': () => ({ tools: [{ name: 'push', inputSchema: { type: 'object' } }] }),
  'resources/list': () => ({ resources: [{ uri: 'memory://known', name: 'known', mimeType: 'text/plain' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/plain', text: 'What is known' }] }),
  'tools/call': ({ arguments: event }) => new Promise((resolve) => {
    const id = 'push-' + ++last;
    waiting.set(id, (reply) => resolve({ content: [{ type: 'text', text: JSON.stringify(reply) }] }));
    send({ id, method: 'push/event', params: event });
  }),
  ping: () => ({}),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') void take(JSON.parse(line));
});
async function take({ id, method, params, result, error }) {
  if (method === 'featureSets/update') for (const text of process.argv.slice(process.argv[1]?.endsWith('.cjs') ? 2 : 1)) send({
    id: 'own-' + ++last, method: 'push/event',
    params: { featureSet: 'memory.reminders', eventId: text, timestamp: '2026-11-18T16:00:00Z',
      origin: { source: 'conversation' }, payload: { content: [{ type: 'text', text }] } },
  });
  if (method === undefined) waiting.get(id)?.(error ?? result);
  else if (id === undefined) return;
  else if (answer[method] === undefined) send({ id, error: { code: -32601, message: 'Unknown: ' + method } });
  else send({ id, result: await answer[method](params) });
}
`;

/** Its entry in settings, with its sets enabled. */
export const pushServer = (...args: readonly string[]): object => ({
  command: process.execPath,
  args: args.length === 0 ? ['-e', PUSH_SERVER] : args,
  enabled: true,
  featureSets: { enabled: ['memory.*'] },
});
