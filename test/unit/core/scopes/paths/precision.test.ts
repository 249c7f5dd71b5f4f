import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { inProject } from '../../../../harness/paths.ts';
import { measurePrecision, needlessOf, PAGE, tableOf, totalOf } from '../../../../support/scopePrecision.ts';

suite('Ordinary calls of the tools of public servers', () => {
  test('are asked about or refused needlessly in less than 2 % of all cases, and the page says in how many', async () => {
    const rows = await measurePrecision();
    const total = totalOf(rows);
    assert.ok(rows.length >= 20, `only ${rows.length} servers`);
    assert.ok(total.sets >= 1_000, `only ${total.sets} sets of arguments`);
    const needless = [...total.needlessQuestions, ...total.needlessRefusals];
    assert.ok(needlessOf(total) < total.sets * 0.02, needless.join('\n'));
    // More can go wrong for calls that name a file.
    const withFile = total.sets - total.nameless - total.actions;
    assert.ok(needlessOf(total) < withFile * 0.02, needless.join('\n'));
    const cells = (text: string): string => text.replace(/[\s-]+/g, ' ');
    const page = cells(readFileSync(inProject(PAGE), 'utf8'));
    const missing = tableOf(rows).filter((row) => !page.includes(cells(row)));
    assert.deepEqual(missing, [], '"npm run scopes:precision" rewrites the table');
  }).timeout(60_000);
});
