import { readFile, writeFile } from 'node:fs/promises';
import { BEGIN, END, measurePrecision, needlessOf, PAGE, tableOf, totalOf } from '../support/scopePrecision.ts';
import { inProject } from './paths.ts';
import { endEverything, mustRun, onInterrupt } from './processes.ts';
import { main, say } from './progress.ts';

onInterrupt(endEverything);

/**
 * Measures how often scopes prompt for or refuse ordinary calls of public servers. Rewrites the table in
 * docs/security.md.
 */
await main(async () => {
  const rows = await measurePrecision();
  const total = totalOf(rows);
  for (const line of [...total.needlessQuestions, ...total.needlessRefusals]) say(`needless: ${line}`);
  const page = await readFile(inProject(PAGE), 'utf8');
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`${PAGE} does not have the lines between which the table belongs.`);
  const table = tableOf(rows).join('\n');
  await writeFile(inProject(PAGE), `${page.slice(0, begin)}${BEGIN}\n\n${table}\n\n${page.slice(end)}`);
  const prettier = inProject('node_modules/prettier/bin/prettier.cjs');
  await mustRun(process.execPath, [prettier, '--write', inProject(PAGE)], { next: 'See above.' });
  say(`${needlessOf(total)} of ${total.sets} calls were asked about or refused needlessly.`);
  return 0;
});
