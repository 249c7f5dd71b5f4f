// Opens a session at each given address of the gateway, like the editor with each running server: initializes, and
// keeps a stream open for unrequested messages. A separate process, so that its cost does not count for the host.
// Prints `ready`, and ends with its stdin.
import { request } from 'node:http';

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };

const send = (url, method, headers, body) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...ACCEPT, ...headers } }, resolve);
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });

const visit = async ({ url, headers }) => {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bench', version: '1' } };
  const opened = await send(url, 'POST', headers, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  opened.resume();
  const session = { ...headers, 'mcp-session-id': opened.headers['mcp-session-id'] };
  (await send(url, 'POST', session, { jsonrpc: '2.0', method: 'notifications/initialized' })).resume();
  const stream = await send(url, 'GET', session);
  stream.on('error', () => undefined).resume();
  if (stream.statusCode !== 200) throw new Error(`The gateway gave no stream: ${stream.statusCode}.`);
};

await Promise.all(JSON.parse(process.argv[2]).map(visit));
process.stdout.write('ready\n');
process.stdin.resume().on('end', () => process.exit(0));
