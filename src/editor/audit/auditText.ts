import { type AuditEntry, type AuditLog, type CancellationToken, cancelled } from '../../core/index.ts';
import { timeText } from '../shared/timeText.ts';
import { type Column, textTable } from '../shared/textTable.ts';

/** Records per page of an export. */
const PAGE = 1_000;

const COLUMNS: readonly Column<AuditEntry>[] = [
  ['time', 19, ({ at }) => timeText(at)],
  ['outcome', 9, ({ outcome }) => outcome],
  ['server', 24, ({ server }) => (server === '' ? 'you' : server)],
  ['operation', 32, ({ operation }) => operation],
  ['feature set', 32, ({ featureSet }) => featureSet ?? ''],
  ['duration', 10, ({ durationMs }) => `${Math.round(durationMs)} ms`],
  ['tokens', 9, ({ tokens }) => (tokens === undefined ? '' : String(tokens))],
  ['model', 40, ({ model }) => model ?? ''],
  ['detail', 400, ({ detail }) => detail ?? ''],
  ['inference', 44, ({ inferenceId }) => inferenceId ?? ''],
];

/** Records as a text table. `isWhole` means that there are no older ones. */
export function auditText(entries: readonly AuditEntry[], isWhole: boolean): string {
  if (entries.length === 0)
    return 'Nothing is recorded yet. Every tool call and everything that servers do under MCPL is recorded here.\n';
  const lines = textTable(COLUMNS, entries);
  const rest = isWhole ? [] : ['', 'Older records are in the export: run "MCP Live: Export Audit Log…".'];
  return `${[...lines, ...rest].join('\n')}\n`;
}

/** A record as a JSON line. */
export function auditLine({ place, at, ...rest }: AuditEntry): string {
  return `${JSON.stringify({ place, time: new Date(at).toISOString(), ...rest })}\n`;
}

/** All records as JSON lines, newest first. One page at a time, to limit memory. */
export async function* auditPages(
  audit: Pick<AuditLog, 'list'>,
  server: string | undefined,
  token: CancellationToken,
  onPage: (count: number) => void,
): AsyncGenerator<string> {
  let before: number | undefined;
  for (;;) {
    if (token.isCancellationRequested) throw cancelled('The export');
    const entries = await audit.list({ limit: PAGE, server, before });
    const last = entries.at(-1)?.place;
    // Row ids decrease from page to page. A repeated one means the end.
    if (last === undefined || (before !== undefined && last >= before)) return;
    before = last;
    onPage(entries.length);
    yield entries.map(auditLine).join('');
  }
}
