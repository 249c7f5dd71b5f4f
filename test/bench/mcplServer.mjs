// An MCPL server for the benchmark. It pushes events as fast as they are answered, or at a steady rate. It adds context
// to a turn after a given time.
const stdin = process.stdin.setEncoding('latin1');
const stdout = process.stdout;
const hasHook = process.argv[2] !== undefined;
const answerAfter = Number(process.argv[2]);

/** Maximum unanswered events at full speed. */
const WINDOW = 512;
const TICK_MS = 5;
const FILL = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore. ';
const ACCEPTED = '"accepted":true';

const filled = (length) => FILL.repeat(Math.ceil(length / FILL.length)).slice(0, length);
const line = (message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
const answer = (id, result) => line({ id, result });
const text = (words) => ({ content: [{ type: 'text', text: words }] });

const tools = ['push', 'pace'].map((name) => ({
  name,
  description: `Part of the benchmark: ${name}.`,
  inputSchema: { type: 'object' },
}));

const mcpl = {
  version: '0.2',
  pushEvents: true,
  ...(hasHook ? { contextHooks: { beforeInference: true } } : {}),
  featureSets: {
    'bench.events': { description: 'Sends events.', uses: ['pushEvents'] },
    ...(hasHook
      ? { 'bench.context': { description: 'Adds to the context.', uses: ['contextHooks.beforeInference'] } }
      : {}),
  },
};

let lastEvent = 0;

/** An event with a unique id, also used for its request. */
const makeEvents = (length) => {
  const payload = JSON.stringify({ content: [{ type: 'text', text: filled(length) }] });
  return () => {
    const number = ++lastEvent;
    const params = `"featureSet":"bench.events","eventId":"event-${number}","timestamp":"2026-01-01T00:00:00.000Z","origin":{"source":"bench"},"payload":${payload}`;
    return `{"jsonrpc":"2.0","id":${number},"method":"push/event","params":{${params}}}\n`;
  };
};

/** Pushes at full speed, with a limited number of unanswered events. Answers are counted, not parsed. */
const startPushing = (id, { count }) => {
  const make = makeEvents(110);
  let asked = 0;
  let answered = 0;
  let accepted = 0;
  const ask = () => {
    let out = '';
    for (; asked < count && asked - answered < WINDOW; asked++) out += make();
    if (out !== '') stdout.write(out, 'latin1');
  };
  ask();
  const take = (chunk, from, end) => {
    answered++;
    const at = chunk.indexOf(ACCEPTED, from);
    if (at !== -1 && at < end) accepted++;
    if (answered < count) return;
    work = undefined;
    const refused = count - accepted;
    stdout.write(
      refused === 0
        ? answer(id, text('done'))
        : line({ id, error: { code: -32000, message: `${refused} of ${count} events were not accepted.` } }),
    );
  };
  return { take, goOn: ask };
};

/** Pushes this many per second, whether they are answered or not. Checks that each event has exactly one answer. */
const startPace = (id, { rate, seconds, length }) => {
  const make = makeEvents(length);
  const count = Math.round(rate * seconds);
  const open = new Set();
  const report = { sent: 0, accepted: 0, refused: 0, unasked: 0 };
  const started = performance.now();
  const ticks = setInterval(() => {
    const due = Math.min(count, Math.floor(((performance.now() - started) / 1000) * rate));
    let out = '';
    for (; report.sent < due; report.sent++) {
      out += make();
      open.add(lastEvent);
    }
    if (out !== '') stdout.write(out, 'latin1');
    if (report.sent === count) clearInterval(ticks);
  }, TICK_MS);
  const take = (chunk, from, end) => {
    const message = JSON.parse(chunk.slice(from, end));
    if (message.method !== undefined) return handle(message);
    if (!open.delete(message.id)) report.unasked++;
    else if (message.result?.accepted === true) report.accepted++;
    else report.refused++;
    if (report.sent < count || open.size > 0) return;
    work = undefined;
    stdout.write(answer(id, text(JSON.stringify(report))));
  };
  return { take, goOn: () => undefined };
};

/** Uses the time of the request as the namespace of the injection, which the host reports. */
const inject = (id) => {
  const content = [{ type: 'text', text: filled(110) }];
  const injection = { namespace: String(performance.timeOrigin + performance.now()), position: 'beforeUser', content };
  const message = answer(id, { featureSet: 'bench.context', contextInjections: [injection] });
  if (answerAfter === 0) stdout.write(message);
  else setTimeout(() => stdout.write(message), answerAfter);
};

/** Handles the next lines while events are open. */
let work;

const handle = ({ id, method, params }) => {
  if (method === 'initialize') {
    const { protocolVersion } = params;
    const capabilities = { tools: {}, experimental: { mcpl } };
    stdout.write(answer(id, { protocolVersion, capabilities, serverInfo: { name: 'bench', version: '1.0.0' } }));
  } else if (method === 'tools/list') stdout.write(answer(id, { tools }));
  else if (method === 'context/beforeInference') inject(id);
  else if (method === 'tools/call') work = (params.name === 'push' ? startPushing : startPace)(id, params.arguments);
  else if (id !== undefined && method !== undefined) stdout.write(answer(id, {}));
};

let rest = '';
stdin.on('data', (data) => {
  const chunk = rest + data;
  let from = 0;
  for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
    if (work !== undefined) work.take(chunk, from, end);
    else handle(JSON.parse(chunk.slice(from, end)));
    from = end + 1;
  }
  rest = chunk.slice(from);
  work?.goOn();
});
stdin.on('end', () => process.exit(0));
