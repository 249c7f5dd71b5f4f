import { createDemo } from './demo.ts';
import { PARTS, partsOf } from './demoFeatureSets.ts';
import { LineReader } from './protocol.ts';

/**
 * The demo server on stdin and stdout. Over plain MCP it offers notes. For hosts with MCPL it adds a memory, a check of
 * answers, tools for approved files, and two states with rollback. Its command line selects the parts. It ends when
 * stdin closes.
 */
const { parts, unknown } = partsOf(process.argv.slice(2));
const log = (line: string): void => void process.stderr.write(`${line}\n`);
const demo = createDemo({ parts, write: (message) => process.stdout.write(`${JSON.stringify(message)}\n`), log });
const lines = new LineReader((line) => demo.receive(line));

process.stdin.on('data', (chunk: Buffer) => lines.read(chunk));
process.stdin.on('end', () => demo.end());
// The client is gone, so no message can reach it.
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
