// An MCPL server for the benchmark whose state is kept by the host: a number of characters, continuing from a named
// checkpoint if there is one. Answers are prepared in advance.
const stdin = process.stdin;
const stdout = process.stdout;
const { characters, from } = JSON.parse(process.argv[2] ?? '{}');

const notes = Array.from({ length: Math.ceil(characters / 250) }, (_, i) => ({
  id: i,
  text: `${'words '.repeat(36)}${i}`,
}));
const state = Buffer.from(JSON.stringify(notes).slice(1, -1));
const featureSets = {
  'bench.notes': { description: 'Keeps notes.', uses: ['tools'], rollback: true, hostState: true },
};
const tool = (name) => ({ name, inputSchema: { type: 'object' }, _meta: { featureSet: 'bench.notes' } });
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
let parent = from ?? null;
let n = 0;

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    serverInfo: { name: 'bench', version: '1' },
    capabilities: { tools: {}, experimental: { mcpl: { version: '0.2', featureSets } } },
  }),
  'tools/list': () => ({ tools: ['whole', 'edit', 'look'].map(tool) }),
  'state/rollback': ({ checkpoint }) => {
    parent = checkpoint;
    return { checkpoint, success: true };
  },
};

/** Reads only the start of a call, because the state is its last member. */
const answerCall = (id, name) => {
  const head = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"Done."}]`;
  if (name === 'look') return void stdout.write(`${head}}}\n`);
  const made = `bench-${process.pid}-${++n}`;
  stdout.write(`${head},"state":{"checkpoint":"${made}","parent":${JSON.stringify(parent)},`);
  parent = made;
  if (name === 'edit') stdout.write(`"patch":[{"op":"replace","path":"/n","value":${n}}]}}}\n`);
  else {
    stdout.write(`"data":{"n":${n},"all":[`);
    stdout.write(state);
    stdout.write(']}}}}\n');
  }
};

const take = (bytes) => {
  const head = bytes.subarray(0, 500).toString();
  const call = /"method":"tools\/call".*?"name":"(\w+)"/.exec(head);
  if (call !== null) return answerCall(/"id":(\d+)/.exec(head)[1], call[1]);
  const { id, method, params } = JSON.parse(bytes.toString());
  if (id === undefined || method === undefined) return undefined;
  const known = ANSWERS[method];
  stdout.write(line(known ? { id, result: known(params) } : { id, error: { code: -32601, message: 'Unknown.' } }));
};

let chunks = [];
stdin.on('data', (bytes) => {
  let rest = bytes;
  for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
    take(Buffer.concat([...chunks, rest.subarray(0, at)]));
    chunks = [];
    rest = rest.subarray(at + 1);
  }
  if (rest.length > 0) chunks.push(rest);
});
stdin.on('end', () => process.exit(0));
