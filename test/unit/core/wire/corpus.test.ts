import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { INITIALIZE_REVISIONS, MODERN_REVISIONS } from '../../../../src/core/wire/handshake.ts';
import { type Example, examples, send } from './corpusRunner.ts';

suite('The examples of the wire', () => {
  test('reach the host whole, unknown members and all, in every revision', async () => {
    const accepted = examples('.');
    assert.deepEqual(
      [...new Set(accepted.map(({ revision }) => revision))],
      [...INITIALIZE_REVISIONS, ...MODERN_REVISIONS],
    );
    const outcomes = await Promise.all(accepted.map(async (example) => line(example, await send(example))));
    assert.deepEqual(
      outcomes.filter((outcome) => !outcome.endsWith(': delivered')),
      [],
    );
    assert.ok(outcomes.length > 150);
  });

  test('that are wrong are refused, each with a reason in words', async () => {
    const rejected = examples('rejected');
    const outcomes = await Promise.all(rejected.map(async (example) => line(example, await send(example))));
    const expected = readFileSync(new URL('../../../corpus/rejected/outcomes.txt', import.meta.url), 'utf8');
    assert.equal(`${outcomes.join('\n')}\n`, expected);
  });
});

function line({ revision, type, name }: Example, outcome: string): string {
  return `${revision} ${type}/${name}: ${outcome}`;
}
