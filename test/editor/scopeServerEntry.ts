/** A server that requests the scopes in its tool's arguments, and has a tool that touches files. */
const SCOPE_SERVER = `
const waiting = new Map();
let last = 0;
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const set = { description: 'Changes files.', uses: ['tools'], scoped: true, rollback: false, hostState: false };
const path = { type: 'object', properties: { path: { type: 'string' } } };
const answer = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    serverInfo: { name: 'scoped', version: '1' },
    capabilities: {
      tools: {},
      experimental: { mcpl: { version: '0.2', featureSets: { 'files.edit': set } } },
    },
  }),
  'tools/list': () => ({ tools: [{ name: 'elevate', inputSchema: { type: 'object' } }, { name: 'edit_file', inputSchema: path }] }),
  'tools/call': ({ name, arguments: args, scope }) => new Promise((resolve) => {
    const reply = (value) => resolve({ content: [{ type: 'text', text: JSON.stringify(value ?? null) }] });
    if (name !== 'elevate') return reply(scope);
    const id = 'elevate-' + ++last;
    waiting.set(id, reply);
    send({ id, method: 'scope/elevate', params: { featureSet: 'files.edit', scope: args } });
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
  if (method === undefined) waiting.get(id)?.(error ?? result);
  else if (id === undefined) return;
  else if (answer[method] === undefined) send({ id, error: { code: -32601, message: 'Unknown: ' + method } });
  else send({ id, result: await answer[method](params) });
}
`;

/** Its entry in settings, with its set enabled. The workspace is allowed, except for secrets. */
export const scopeServer = (): object => ({
  command: process.execPath,
  args: ['-e', SCOPE_SERVER],
  enabled: true,
  featureSets: { enabled: ['files.*'] },
  toolFeatureSets: { edit_file: 'files.edit' },
  scopes: { 'files.edit': { whitelist: ['${workspaceFolder}/src/**'], blacklist: ['**/.env'] } },
  scopeAdapters: { elevate: [] },
});
