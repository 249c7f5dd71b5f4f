import { createDemo } from './demo.ts';
import { PARTS, partsOf } from './featureSets.ts';
import { LineReader } from './protocol.ts';

/**
 * The demo server: notes over MCP on stdin and stdout, and for a host that speaks MCPL a memory, a check of answers,
 * tools for the files that the host approves, and a book and accounts of which the past can be gone back to.
 * The words of its command line choose among them. It ends when its stdin does.
 */
const { parts, unknown } = partsOf(process.argv.slice(2));
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const demo = createDemo({ parts, write: (message) => process.stdout.write(`${JSON.stringify(message)}\n`), log });
const lines = new LineReader((line) => demo.receive(line));

process.stdin.on('data', (chunk: Buffer) => lines.read(chunk));
process.stdin.on('end', () => demo.end());
// The other side is gone: there is nobody left to tell.
process.stdout.on('error', () => process.exit(0));
process.stderr.on('error', () => undefined);
log(`Demo ${parts[0] ?? 'notes'} server is ready. ${kept()}`);
for (const word of unknown) log(`"${word.slice(0, 100)}" is none of ${PARTS.join(', ')} and was left out.`);

function kept(): string {
  if (parts.includes('notes')) return 'Notes are kept in memory until it stops.';
  if (parts.includes('memory')) return 'What it learns is kept in memory until it stops.';
  if (parts.includes('files')) return 'It touches only what the host approves.';
  return parts.includes('state')
    ? 'The host keeps its book, and it keeps its ledger until it stops.'
    : 'It keeps nothing.';
}
