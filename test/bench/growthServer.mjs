// An MCPL server of any size for the benchmark: a number of tools, in pages. It adds context to a turn at once, sends
// an event on request, and requests scopes that no list allows. The list of tools is serialized before it is requested,
// because only the host is measured.
const stdin = process.stdin.setEncoding('utf8');
const stdout = process.stdout;
const { tools: count = 10, page: perPage = count } = JSON.parse(process.argv[2] ?? '{}');

const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const DONE = `,"result":${JSON.stringify(text('done'))}}\n`;

/** Half a kilobyte, like tools of real servers. */
const tool = (name) => ({
  name,
  title: `The tool ${name}`,
  description: `Part of the benchmark: ${name}. It says what it does, when to use it, and what comes back.`,
  inputSchema: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where the thing is that it works on.' },
      limit: { type: 'integer', description: 'How many of them at the most.', minimum: 1 },
      recursive: { type: 'boolean', default: false },
    },
    required: ['path'],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
  _meta: { featureSet: 'bench.tools' },
});

const OWN = ['echo', 'change', 'event', 'elevate'];
const names = Array.from({ length: Math.max(count, OWN.length) }, (_, i) => OWN[i] ?? `tool_${i}`);
const texts = names.map((name) => JSON.stringify(tool(name)));
const pages = [];
for (let from = 0; from < texts.length; from += perPage) {
  const next = from + perPage < texts.length ? `,"nextCursor":"${pages.length + 1}"` : '';
  pages.push(Buffer.from(`,"result":{"tools":[${texts.slice(from, from + perPage).join(',')}]${next}}}\n`));
}

const featureSets = {
  'bench.events': { description: 'Sends events.', uses: ['pushEvents'] },
  'bench.context': { description: 'Adds to the context.', uses: ['contextHooks.beforeInference'] },
  'bench.tools': { description: 'Has tools.', uses: ['tools'] },
  'bench.files': { description: 'Works on files.', uses: ['tools'], scoped: true },
};
const mcpl = { version: '0.2', pushEvents: true, contextHooks: { beforeInference: true }, featureSets };
const capabilities = { tools: { listChanged: true }, experimental: { mcpl } };
const injection = { namespace: 'bench', position: 'beforeUser', content: [{ type: 'text', text: 'Some context.' }] };

/** Calls that wait for an answer of the host, by request id. */
const waiting = new Map();
let last = 0;
const ask = (id, method, params) => {
  const asked = `bench-${++last}`;
  waiting.set(asked, id);
  stdout.write(line({ id: asked, method, params }));
};

const CALLS = {
  change: (id) =>
    stdout.write(`{"jsonrpc":"2.0","id":${id}${DONE}${line({ method: 'notifications/tools/list_changed' })}`),
  event: (id, { name }) =>
    ask(id, 'push/event', {
      featureSet: 'bench.events',
      eventId: name,
      timestamp: '2026-01-01T00:00:00.000Z',
      origin: { source: 'bench' },
      payload: { content: [{ type: 'text', text: 'Something happened.' }] },
    }),
  elevate: (id, { path }) =>
    ask(id, 'scope/elevate', { featureSet: 'bench.files', scope: { label: path, payload: { path, mode: 'write' } } }),
};

const handle = ({ id, method, params, result, error }) => {
  if (method === undefined) {
    const call = waiting.get(id);
    waiting.delete(id);
    stdout.write(line({ id: call, result: text(JSON.stringify(result ?? error)) }));
  } else if (method === 'tools/call') {
    const { name, arguments: args } = params;
    if (CALLS[name] === undefined) stdout.write(`{"jsonrpc":"2.0","id":${id}${DONE}`);
    else CALLS[name](id, args);
  } else if (method === 'tools/list') {
    stdout.write(`{"jsonrpc":"2.0","id":${id}`);
    stdout.write(pages[Number(params?.cursor ?? 0)]);
  } else if (method === 'initialize') {
    const serverInfo = { name: 'bench', version: '1.0.0' };
    stdout.write(line({ id, result: { protocolVersion: params.protocolVersion, capabilities, serverInfo } }));
  } else if (method === 'context/beforeInference') {
    stdout.write(line({ id, result: { featureSet: 'bench.context', contextInjections: [injection] } }));
  } else if (method === 'server/discover') {
    stdout.write(line({ id, error: { code: -32601, message: 'Method not found' } }));
  } else if (id !== undefined) stdout.write(line({ id, result: {} }));
};

let rest = '';
stdin.on('data', (data) => {
  const chunk = rest + data;
  let from = 0;
  for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
    handle(JSON.parse(chunk.slice(from, end)));
    from = end + 1;
  }
  rest = chunk.slice(from);
});
stdin.on('end', () => process.exit(0));
