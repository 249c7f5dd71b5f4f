// An MCP server with minimal cost: it finds a call's id without parsing, so that only the client is measured. It parses
// only messages that open a session or start a flood. With the argument "mcpl", its tools belong to a feature set.
const stdin = process.stdin.setEncoding('latin1');
const stdout = process.stdout;

const BLOCK = 64 * 1024;
const FILL = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore. ';
const WINDOW = 512;

const filled = (length) => FILL.repeat(Math.ceil(length / FILL.length)).slice(0, length);
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const answer = (id, result) => line({ id, result });
const text = (words) => ({ content: [{ type: 'text', text: words }] });

const isMcpl = process.argv[2] === 'mcpl';
const experimental = {
  mcpl: { version: '0.2', featureSets: { 'bench.calls': { description: 'Answers.', uses: ['tools'] } } },
};
const tools = ['echo', 'flood', 'progress', 'pings', 'text', 'objects', 'endless', 'noise', 'deep'].map((name) => ({
  name,
  description: `Part of the benchmark: ${name}.`,
  inputSchema: { type: 'object' },
  ...(isMcpl ? { _meta: { featureSet: 'bench.calls' } } : {}),
}));

const ECHO = `,"result":${JSON.stringify(text(filled(110)))}}\n`;
const NOTIFICATION = line({ method: 'notifications/message', params: { level: 'info', data: filled(110) } });

/** Writes text in blocks. Writing to a pipe waits for its reader, which preserves the order. */
const writer = () => {
  let block = '';
  return {
    write: (part) => {
      block += part;
      if (block.length >= BLOCK) {
        stdout.write(block, 'latin1');
        block = '';
      }
    },
    end: (part) => stdout.write(block + part, 'latin1'),
  };
};

const repeated = (id, count, make) => {
  const out = writer();
  for (let i = 1; i <= count; i++) out.write(make(i));
  out.end(answer(id, text('done')));
};

/** Requests of the server, with a limited number of open ones. Answers are counted by their newlines. */
let pings;
const askForPings = () => {
  const out = writer();
  while (pings.asked < pings.count && pings.asked - pings.answered < WINDOW) {
    out.write(`{"jsonrpc":"2.0","id":${++pings.asked},"method":"ping"}\n`);
  }
  out.end('');
};
const pingsAnswered = (more) => {
  pings.answered += more;
  if (pings.answered < pings.count) return askForPings();
  const { id } = pings;
  pings = undefined;
  stdout.write(answer(id, text('done')));
};

/** A typical list of a tool: a few short members, and words. */
const row = (number) => ({
  key: `row-${number}`,
  title: filled(30 + (number % 40)),
  summary: filled(80 + (number % 60)),
  size: number * 17,
  open: number % 2 === 0,
  tags: ['bench', 'sample'],
});

const bigResults = {
  // A line break every 100 characters, like in text, because parsers are faster without any.
  text: (bytes) => text(`${filled(98)}\n`.repeat(Math.ceil(bytes / 100))),
  objects: (bytes) => {
    const count = Math.ceil(bytes / JSON.stringify(row(100_000)).length);
    return { ...text(`${count} rows`), structuredContent: { rows: Array.from({ length: count }, (_, i) => row(i)) } };
  },
};
const prepared = new Map();
const sendBig = (id, kind, bytes) => {
  const key = `${kind} ${bytes}`;
  if (!prepared.has(key)) prepared.set(key, Buffer.from(`,"result":${JSON.stringify(bigResults[kind](bytes))}}\n`));
  stdout.write(`{"jsonrpc":"2.0","id":${id}`);
  stdout.write(prepared.get(key));
};

const hostile = {
  endless: (id, { bytes }) => {
    stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"');
    const out = writer();
    for (let written = 0; written < bytes; written += FILL.length) out.write(FILL);
    out.end(`"}}\n${answer(id, text('done'))}`);
  },
  noise: (id, { count }) => repeated(id, count, (i) => `[debug] ${i} ${FILL}\n`),
  deep: (id, { depth, count }) => {
    const nested = '[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth);
    repeated(id, count, () => `{"jsonrpc":"2.0","method":"notifications/message","params":{"data":${nested}}}\n`);
  },
};

const callTool = (id, { name, arguments: args, _meta }) => {
  if (name === 'flood') return repeated(id, args.count, () => NOTIFICATION);
  if (name === 'progress') {
    const token = JSON.stringify(_meta.progressToken);
    const head = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${token},"message":"${filled(84)}","progress":`;
    return repeated(id, args.count, (i) => `${head}${i}}}\n`);
  }
  if (name === 'pings') {
    pings = { id, count: args.count, asked: 0, answered: 0 };
    return askForPings();
  }
  if (name === 'text' || name === 'objects') return sendBig(id, name, args.bytes);
  return hostile[name](id, args);
};

const handle = (message) => {
  const { id, method, params } = message;
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: 'bench', version: '1.0.0' };
    const capabilities = { tools: {}, logging: {}, ...(isMcpl ? { experimental } : {}) };
    stdout.write(answer(id, { protocolVersion, capabilities, serverInfo }));
  } else if (method === 'tools/list') stdout.write(answer(id, { tools }));
  else if (method === 'tools/call') callTool(id, params);
  else if (id !== undefined && method !== undefined) stdout.write(answer(id, {}));
};

const idIn = (chunk, from) => {
  const start = chunk.indexOf('"id":', from) + 5;
  let end = start;
  while (chunk.charCodeAt(end) !== 44 && chunk.charCodeAt(end) !== 125) end++;
  return chunk.slice(start, end);
};

let rest = '';
stdin.on('data', (data) => {
  const chunk = rest + data;
  let from = 0;
  let out = '';
  let answered = 0;
  for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
    if (pings !== undefined) answered++;
    else {
      const echo = chunk.indexOf('"echo"', from);
      if (echo !== -1 && echo < end) out += `{"jsonrpc":"2.0","id":${idIn(chunk, from)}${ECHO}`;
      else handle(JSON.parse(chunk.slice(from, end)));
    }
    from = end + 1;
  }
  rest = chunk.slice(from);
  if (out !== '') stdout.write(out, 'latin1');
  if (answered > 0) pingsAnswered(answered);
});
stdin.on('end', () => process.exit(0));
