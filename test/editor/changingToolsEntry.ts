/** A server whose tool `change` changes the descriptions of its tools, and announces the change. */
const CHANGING_TOOLS = `
let words = 'Adds a note to the notebook.';
let extra = {};
const schema = () => ({ type: 'object', required: ['text'], properties: {
  text: { type: 'string', description: 'The text of the note.' }, ...extra } });
const tools = () => ['add_note', 'edit_note'].map((name) => ({ name, description: words, inputSchema: schema(),
  annotations: { readOnlyHint: false, openWorldHint: false } })).concat([{ name: 'change', inputSchema: { type: 'object' } }]);
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const answer = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, serverInfo: { name: 'changing', version: '1' }, capabilities: { tools: { listChanged: true } } }),
  'tools/list': () => ({ tools: tools() }),
  'tools/call': ({ name, arguments: { description, property } }) => {
    if (name === 'change') {
      words = description;
      extra = property === undefined ? {} : { [property]: { type: 'string', description: 'A file to read first.' } };
    }
    return { content: [{ type: 'text', text: 'done' }] };
  },
};
let rest = '';
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = (rest + chunk).split('\\n');
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== '') take(JSON.parse(line));
});
function take({ id, method, params = {} }) {
  if (method === undefined || id === undefined) return;
  if (answer[method] === undefined) return say({ id, error: { code: -32601, message: 'Unknown: ' + method } });
  say({ id, result: answer[method](params) });
  if (params.name === 'change') say({ method: 'notifications/tools/list_changed' });
}
`;

/** Its entry in the settings. */
export const changingTools = (rest: object = {}): object => ({
  command: process.execPath,
  args: ['-e', CHANGING_TOOLS],
  env: { ELECTRON_RUN_AS_NODE: '1' },
  enabled: true,
  protocol: { era: 'legacy' },
  ...rest,
});
