/** A server that is silent after listing its tool: it answers neither pings nor calls. */
const SILENT_SERVER = `
const answer = {
  initialize: (params) => ({
    protocolVersion: params.protocolVersion,
    serverInfo: { name: 'silent', version: '1' },
    capabilities: { tools: {} },
  }),
  'tools/list': () => ({ tools: [{
    name: 'work', description: 'Works for ever.',
    inputSchema: { type: 'object', properties: { what: { type: 'sentence' } } },
  }] }),
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') take(JSON.parse(line));
});
function take({ id, method, params }) {
  if (id === undefined || answer[method] === undefined) return;
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result: answer[method](params) }) + '\\n');
}
`;

/** Its entry in the settings. */
export const silentServer = {
  command: process.execPath,
  args: ['-e', SILENT_SERVER],
  protocol: { era: 'legacy' },
  enabled: true,
};
