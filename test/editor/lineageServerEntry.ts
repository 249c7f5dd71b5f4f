/** A server whose host keeps its state: a list of notes. One tool returns a patch that fits nothing. */
const LINEAGE_SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const set = { description: 'Keeps notes.', uses: ['tools'], scoped: false, rollback: true, hostState: true };
let last = 0;
let head = null;
const state = (rest) => {
  const parent = head;
  head = 'chk_' + ++last;
  return { featureSet: 'notes.edit', checkpoint: head, parent, ...rest };
};
const tools = {
  edit: ({ text }, now) => state(now === undefined
    ? { data: { notes: [text] } }
    : { patch: [{ op: 'add', path: '/notes/-', value: text }] }),
  spoil: () => {
    const { parent, ...rest } = state({ patch: [{ op: 'remove', path: '/nowhere' }] });
    head = parent;
    return { parent, ...rest };
  },
};
const answer = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    serverInfo: { name: 'keeper', version: '1' },
    capabilities: { tools: {}, experimental: { mcpl: { version: '0.2', featureSets: { 'notes.edit': set } } } },
  }),
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args, state: now }) => ({
    content: [{ type: 'text', text: JSON.stringify(now ?? null) }],
    state: tools[name](args, now),
  }),
  'state/rollback': ({ checkpoint }) => {
    if (checkpoint === 'chk_1') return { checkpoint: head, success: false, reason: 'The first note was printed.' };
    head = checkpoint;
    return { checkpoint, success: true };
  },
  ping: () => ({}),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') take(JSON.parse(line));
});
function take({ id, method, params }) {
  if (method === undefined || id === undefined) return;
  if (answer[method] === undefined) send({ id, error: { code: -32601, message: 'Unknown: ' + method } });
  else send({ id, result: answer[method](params) });
}
`;

/** Its entry in the settings, with its set on. */
export const lineageServer = (): object => ({
  command: process.execPath,
  args: ['-e', LINEAGE_SERVER],
  enabled: true,
  featureSets: { enabled: ['notes.*'] },
  toolFeatureSets: { edit: 'notes.edit', spoil: 'notes.edit' },
});
