/**
 * A server with a list of notes as state, kept by the host. One tool returns a patch that never fits. `own`: keeps its
 * state itself, shows the members of a call, and rolls back to `chk_2` under another name. `scoped`: its tools need
 * approvals.
 */
const LINEAGE_SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const isOwn = process.argv.includes('own');
const isScoped = process.argv.includes('scoped');
const path = { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } };
const set = { description: 'Keeps notes.', uses: ['tools'], scoped: isScoped, rollback: true, hostState: !isOwn };
let last = 0;
let head = null;
const state = (rest) => {
  const parent = head;
  head = 'chk_' + ++last;
  return { featureSet: 'notes.edit', checkpoint: head, parent, ...(isOwn ? {} : rest) };
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
  'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: isScoped ? path : { type: 'object' } })) }),
  'tools/call': ({ name, arguments: args, _meta, ...came }) => ({
    content: [{ type: 'text', text: JSON.stringify(isOwn ? came : came.state ?? null) }],
    state: tools[name](args, came.state),
  }),
  'state/rollback': ({ checkpoint }) => {
    if (checkpoint === 'chk_1') return { checkpoint: head, success: false, reason: 'The first note was printed.' };
    head = isOwn && checkpoint === 'chk_2' ? 'chk_2_again' : checkpoint;
    return { checkpoint: head, success: true };
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

/** Its entry in settings, with its set enabled. */
export const lineageServer = (...args: readonly ('own' | 'scoped')[]): object => ({
  command: process.execPath,
  args: ['-e', LINEAGE_SERVER, '--', ...args],
  enabled: true,
  featureSets: { enabled: ['notes.*'] },
  toolFeatureSets: { edit: 'notes.edit', spoil: 'notes.edit' },
});
