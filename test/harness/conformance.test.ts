import assert from 'node:assert/strict';
import { type Check, type Outcome, outcomeOf, summary, table } from '../conformance/run.ts';
import { checkCompleteness, readScenarios, requiredClientScenarios, type Scenario } from '../conformance/scenarios.ts';
import { rowsMissingIn } from '../servers/interop.ts';

const check = (id: string, status = 'SUCCESS', name = id): Check => ({ id, name, status, description: `${id}?` });

const scenario = (checks: number): Scenario => ({ name: 'a', window: '2025-11-25', version: '2025-11-25', checks });

const outcome = (expected: number, checks: readonly Check[]): Outcome => outcomeOf(scenario(expected), checks, 'said');

suite('The results of the conformance suite', () => {
  test('a scenario in which nothing was checked fails, although the suite lets it pass', () => {
    const { verdict, log } = outcome(2, []);
    assert.equal(verdict, 'failed');
    assert.equal(log, '2 of the checks that it should make succeed were not made.\nsaid');
  });

  test('a check that is repeated for each request counts once, and one that is only mentioned does not count', () => {
    const { verdict, passed, distinct } = outcome(2, [
      check('x'),
      check('x'),
      check('y', 'SKIPPED'),
      check('z', 'INFO'),
    ]);
    assert.deepEqual({ verdict, passed, distinct }, { verdict: 'failed', passed: 2, distinct: 1 });
  });

  test('the same id with another name is another check', () => {
    assert.equal(outcome(2, [check('x', 'SUCCESS', 'of lists'), check('x', 'SUCCESS', 'of calls')]).verdict, 'passed');
  });

  test('a warning is a failure', () => {
    const { verdict, log } = outcome(1, [check('x'), check('y', 'WARNING')]);
    assert.equal(verdict, 'failed');
    assert.equal(log, 'y y: y?\nsaid');
  });

  test('a scenario for a missing feature neither passes nor fails until something is checked', () => {
    assert.equal(outcome(0, [check('x', 'SKIPPED')]).verdict, 'untested');
    assert.equal(outcome(0, [check('x', 'FAILURE')]).verdict, 'failed');
    assert.equal(outcome(0, [check('x')]).verdict, 'passed');
  });

  test('the table has a line for each, and the summary a fraction for each window', () => {
    const outcomes = [outcome(1, [check('x')]), outcome(2, [check('x'), check('y', 'FAILURE')]), outcome(0, [])];
    assert.equal(
      table(outcomes),
      [
        '   scenario  window      passed  failed  checks  expected',
        '✓  a         2025-11-25  1       0       1       1',
        '✗  a         2025-11-25  1       1       1       2',
        '–  a         2025-11-25  0       0       0       0',
      ].join('\n'),
    );
    assert.equal(summary(outcomes), '2025-11-25 1/2');
  });
});

suite('The list of required scenarios', () => {
  test('is read from its file: the clients’ part, comments aside', () => {
    const yaml =
      'server:\n  - ping\n\nclient:\n  # later\n  - tools_call\n\n  - auth/x-1.2\nnot_scored:\n  - scenario: z\n';
    assert.deepEqual(requiredClientScenarios(yaml), ['tools_call', 'auth/x-1.2']);
  });

  test('is all in expectations.json', async () => {
    const scenarios = await readScenarios();
    await checkCompleteness(scenarios);
    const of = (window: string): number => scenarios.filter((one) => one.window === window).length;
    assert.deepEqual([of('2025-11-25'), of('2026-07-28'), of('backcompat')], [18, 32, 2]);
    const without = scenarios.filter(({ name }) => name !== 'sse-retry');
    await assert.rejects(checkCompleteness(without), /requires of 2025-11-25 .* sse-retry/);
  });
});

suite('The page of published servers', () => {
  test('has a row with any padding, but not a row with other content', () => {
    const page = '| Server | Tools |\n| ------ | ----- |\n| a      | 1     |\n';
    assert.deepEqual(
      rowsMissingIn(page, [
        ['a', '1'],
        ['a', '2'],
      ]),
      ['| a | 2 |'],
    );
  });
});
