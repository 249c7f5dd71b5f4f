// An MCP server over HTTP with minimal cost: it reads requests from the socket and finds a call's id without parsing,
// so that only the client is measured. Prints its port, and ends with its stdin.
import { createServer } from 'node:net';

const filled = (length) => 'Lorem ipsum dolor sit amet, '.repeat(length).slice(0, length);
const result = (value) => `,"result":${JSON.stringify(value)}}`;

const ECHO = result({ content: [{ type: 'text', text: filled(110) }] });
const TOOLS = result({
  tools: [{ name: 'echo', description: 'Part of the benchmark.', inputSchema: { type: 'object' } }],
});
const EMPTY = result({});

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: keep-alive\r\n';
const ACCEPTED = 'HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n';
const NO_STREAM = 'HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n';

/** An answer like from most servers: plain JSON, or a stream with one event. */
const reply = (id, rest, asEvents) => {
  const body = `{"jsonrpc":"2.0","id":${id}${rest}`;
  if (!asEvents) return `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;
  const event = `event: message\ndata: ${body}\n\n`;
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n';
  return `${head}${event.length.toString(16)}\r\n${event}\r\n0\r\n\r\n`;
};

const idIn = (body) => /"id":("[^"]*"|\d+)/.exec(body)?.[1];

const answer = (body, asEvents) => {
  const id = idIn(body);
  if (id === undefined) return ACCEPTED;
  if (body.includes('"tools/call"')) return reply(id, ECHO, asEvents);
  if (body.includes('"tools/list"')) return reply(id, TOOLS, asEvents);
  if (!body.includes('"initialize"')) return reply(id, EMPTY, asEvents);
  const { protocolVersion } = JSON.parse(body).params;
  const serverInfo = { name: 'bench', version: '1.0.0' };
  return reply(id, result({ protocolVersion, capabilities: { tools: {} }, serverInfo }), asEvents);
};

const server = createServer((socket) => {
  let rest = '';
  socket.setEncoding('latin1').setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    rest += chunk;
    for (;;) {
      const end = rest.indexOf('\r\n\r\n');
      if (end === -1) return;
      const head = rest.slice(0, end);
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (rest.length < end + 4 + length) return;
      const body = rest.slice(end + 4, end + 4 + length);
      rest = rest.slice(end + 4 + length);
      socket.write(head.startsWith('POST') ? answer(body, head.startsWith('POST /events')) : NO_STREAM, 'latin1');
    }
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on('end', () => process.exit(0));
