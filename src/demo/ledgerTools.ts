import { LEDGER } from './demoFeatureSets.ts';
import { type Entry, type Ledger, MAX_KEPT, type Opened } from './ledger.ts';
import { closed } from './schema.ts';
import { ADDS, type CheckpointState, type DemoTool, READS, type ToolContext, type ToolOutcome } from './tool.ts';

type Open = Extract<Opened, { kind: 'open' }>;

const MAX_ENTRIES = 1_000;

/** Tools on accounts that this server keeps itself (MCPL §8.7). */
export function ledgerTools(ledger: Ledger): readonly DemoTool[] {
  return [addEntry(ledger), showLedger(ledger), sendLedger(ledger)];
}

function addEntry(ledger: Ledger): DemoTool {
  return {
    name: 'add_entry',
    title: 'Add Entry',
    description: `Adds an entry to the ledger. Its last ${MAX_KEPT} checkpoints are kept.`,
    featureSet: LEDGER,
    annotations: ADDS,
    inputSchema: closed(
      {
        text: { type: 'string', title: 'Text', description: 'What it was for.', minLength: 1, maxLength: 200 },
        amount: { type: 'number', title: 'Amount', minimum: -1_000_000, maximum: 1_000_000 },
      },
      'text',
      'amount',
    ),
    run: ({ text, amount }, context) =>
      worked(ledger, context, ({ base, entries }) => {
        if (entries.length >= MAX_ENTRIES) return { text: 'The ledger is full.', isError: true };
        const entry = { text: String(text), amount: Number(amount) };
        const state = ledger.add(base, entry);
        return { text: `Added. The balance is ${balance([...entries, entry])}.`, state };
      }),
  };
}

function showLedger(ledger: Ledger): DemoTool {
  return {
    name: 'show_ledger',
    title: 'Show Ledger',
    description: 'Shows the entries and the balance. It changes nothing, and so makes no checkpoint.',
    featureSet: LEDGER,
    annotations: READS,
    inputSchema: closed({}),
    run: (_args, context) =>
      worked(ledger, context, ({ entries }) => {
        const lines = entries.map(({ text, amount }) => `${amount}: ${text}`);
        return {
          text: [...lines, `The balance is ${balance(entries)}.`].join('\n'),
          structured: { entries, balance: balance(entries) },
        };
      }),
  };
}

function sendLedger(ledger: Ledger): DemoTool {
  return {
    name: 'send_ledger',
    title: 'Send Ledger',
    description:
      'Sends the ledger to somebody, which cannot be undone. Only a line of the log says so: nobody gets it.',
    featureSet: LEDGER,
    annotations: { ...ADDS, openWorldHint: true },
    inputSchema: closed({
      to: { type: 'string', title: 'To', minLength: 1, maxLength: 100, default: 'the accountant' },
    }),
    run: ({ to }, context) =>
      worked(ledger, context, ({ base }) => {
        const state: CheckpointState = ledger.send(base, String(to));
        return { text: `Sent to ${String(to)}. There is no way back behind this.`, state };
      }),
  };
}

function worked(ledger: Ledger, { checkpoint }: ToolContext, work: (opened: Open) => ToolOutcome): ToolOutcome {
  const opened = ledger.open(checkpoint);
  if (opened.kind === 'pruned')
    return {
      text: `This server no longer keeps the checkpoint ${String(checkpoint)}. Roll back to a newer one.`,
      isError: true,
    };
  const outcome = work(opened);
  return opened.isNew ? { ...outcome, text: `${outcome.text} (The ledger began anew with this server.)` } : outcome;
}

function balance(entries: readonly Entry[]): number {
  return entries.reduce((sum, { amount }) => sum + amount, 0);
}
