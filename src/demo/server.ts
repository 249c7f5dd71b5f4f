import { Methods } from './methods.ts';
import { LineReader, Protocol } from './protocol.ts';
import { demoTools } from './tools.ts';

/** The demo server: notes over MCP on stdin and stdout. It ends when its stdin does. */
const protocol: Protocol = new Protocol(
  (message) => process.stdout.write(`${JSON.stringify(message)}\n`),
  (request) => methods.handle(request),
);
const methods = new Methods(demoTools(), (method, params) => protocol.notify(method, params));
const lines = new LineReader((line) => protocol.receive(line));

process.stdin.on('data', (chunk: Buffer) => lines.read(chunk));
process.stdin.on('end', () => protocol.end());
// The other side is gone: there is nobody left to tell.
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => undefined);
process.stderr.write('Demo notes server is ready. Notes are kept in memory until it stops.\n');
