/** A server with this many tools, 1,000 per page. One of them announces a changed list. */
const MANY_TOOLS = `
const [count = 1] = process.argv.slice(1).map(Number);
const tool = (name) => ({
  name,
  description: 'The tool ' + name + ' says what it does, when to use it, and what comes back.',
  inputSchema: { type: 'object', required: ['path'], properties: {
    path: { type: 'string', description: 'Where the thing is that it works on.' },
    limit: { type: 'integer', description: 'How many of them at the most.', minimum: 1 } } },
  annotations: { readOnlyHint: true, openWorldHint: false },
});
const names = Array.from({ length: count }, (_, i) => (i === 0 ? 'change' : 'tool_' + i));
const pages = [];
for (let from = 0; from < count; from += 1000) {
  const next = from + 1000 < count ? { nextCursor: String(pages.length + 1) } : {};
  pages.push(JSON.stringify({ tools: names.slice(from, from + 1000).map(tool), ...next }));
}
const say = (text) => process.stdout.write(text + '\\n');
const send = (id, result) => say('{"jsonrpc":"2.0","id":' + JSON.stringify(id) + ',"result":' + result + '}');
const answer = {
  initialize: ({ protocolVersion }) => JSON.stringify({
    protocolVersion, serverInfo: { name: 'many', version: '1' }, capabilities: { tools: { listChanged: true } } }),
  'tools/list': ({ cursor }) => pages[Number(cursor ?? 0)],
  'tools/call': () => JSON.stringify({ content: [{ type: 'text', text: 'done' }] }),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') take(JSON.parse(line));
});
function take({ id, method, params = {} }) {
  if (method === undefined || id === undefined) return;
  if (answer[method] === undefined)
    return say(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Unknown: ' + method } }));
  send(id, answer[method](params));
  if (params.name === 'change') say('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}');
}
`;

/** Its entry in the settings. */
export const manyTools = (count: number): object => ({
  command: process.execPath,
  args: ['-e', MANY_TOOLS, '--', String(count)],
  env: { ELECTRON_RUN_AS_NODE: '1' },
  enabled: true,
  protocol: { era: 'legacy' },
});
