/** A server whose tool pushes at a steady rate for a while, and answers when every push was answered. */
const FLOOD_SERVER = `
let last = 0;
const waiting = new Map();
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const answer = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    serverInfo: { name: 'flood', version: '1' },
    capabilities: { tools: {}, experimental: { mcpl: { version: '0.2', pushEvents: true, featureSets: {
      news: { description: 'Tells of everything.', uses: ['pushEvents'] } } } } },
  }),
  'tools/list': () => ({ tools: [{ name: 'flood', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ arguments: { rate, seconds } }) => new Promise((resolve) => {
    const total = rate * seconds, began = Date.now(), outcomes = {};
    let sent = 0, answered = 0;
    const tick = () => {
      const due = Math.min(total, Math.ceil((Date.now() - began) / 1000 * rate));
      while (sent < due) {
        const id = 'e' + ++last;
        sent++;
        waiting.set(id, (reply) => {
          const outcome = JSON.stringify(reply);
          outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
          if (++answered === total) resolve({ content: [{ type: 'text', text: JSON.stringify(outcomes) }] });
        });
        send({ id, method: 'push/event', params: { featureSet: 'news', eventId: process.pid + '-' + id,
          timestamp: new Date().toISOString(), payload: { content: [{ type: 'text', text: 'Number ' + last }] } } });
      }
      if (sent < total) setTimeout(tick, 5);
    };
    tick();
  }),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') void take(JSON.parse(line));
});
async function take({ id, method, params, result, error }) {
  if (method === undefined) { waiting.get(id)?.(error ?? result); waiting.delete(id); }
  else if (id !== undefined) send(answer[method] === undefined
    ? { id, error: { code: -32601, message: 'Unknown: ' + method } }
    : { id, result: await answer[method](params) });
}
`;

export const floodServer = {
  command: process.execPath,
  args: ['-e', FLOOD_SERVER],
  env: { ELECTRON_RUN_AS_NODE: '1' },
  enabled: true,
  featureSets: { enabled: ['news'] },
  push: { news: 'inbox' },
  timeouts: { call: 300 },
};
