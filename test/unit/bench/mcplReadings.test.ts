import assert from 'node:assert/strict';
import { clientMeasures } from '../../bench/clientMeasures.ts';
import { askedTogether, readPaceReport, sumOfReports } from '../../bench/mcplReadings.ts';

suite('what the benchmark reads of MCPL', () => {
  test("a server's report is taken as it is, and anything else is no report", () => {
    const report = { sent: 3, accepted: 1, refused: 1, unasked: 1 };
    assert.deepEqual(readPaceReport(JSON.stringify(report)), report);
    assert.throws(() => readPaceReport('{"sent":3,"accepted":3}'), /no report/);
    assert.throws(() => readPaceReport('null'), /no report/);
  });

  test('reports of several servers are added up, and none are nothing', () => {
    const report = { sent: 3, accepted: 1, refused: 1, unasked: 2 };
    assert.deepEqual(sumOfReports([report, report]), { sent: 6, accepted: 2, refused: 2, unasked: 4 });
    assert.deepEqual(sumOfReports([]), { sent: 0, accepted: 0, refused: 0, unasked: 0 });
  });

  test('servers were asked together when the last was asked before the first could answer', () => {
    assert.deepEqual(askedTogether([100, 103, 119], 20), { spread: 19, beforeAnyAnswer: true });
    assert.deepEqual(askedTogether([100, 103, 120], 20), { spread: 20, beforeAnyAnswer: false });
    assert.deepEqual(askedTogether([100, 100.5], 0), { spread: 0.5, beforeAnyAnswer: false });
  });

  test('one server or none is always asked together', () => {
    assert.deepEqual(askedTogether([100], 0), { spread: 0, beforeAnyAnswer: true });
    assert.deepEqual(askedTogether([], 20), { spread: 0, beforeAnyAnswer: true });
  });

  test('each target is about a variant and a metric that its measure has', () => {
    const wrong = clientMeasures(1, []).flatMap(({ variants, metrics, targets, compared }) => {
      const isKnown = (metric: string, ...of: readonly (string | undefined)[]): boolean =>
        metrics.some(({ key }) => key === metric) && of.every((name) => name === undefined || variants.includes(name));
      return [
        ...targets.filter(({ metric, of, to }) => !isKnown(metric, of, to)).map(({ what }) => what),
        ...compared.filter(({ metric, to }) => !isKnown(metric, to)).map(({ metric, to }) => `${metric} / ${to}`),
      ];
    });
    assert.deepEqual(wrong, []);
  });

  test("wherever the SDK's first client is measured, so is its second, and a ratio to it is shown", () => {
    const alone = clientMeasures(1, [])
      .filter(({ variants }) => variants.includes('sdk1'))
      .filter(
        ({ variants, compared }) =>
          !variants.includes('sdk2') ||
          (compared.some(({ to }) => to === 'sdk1') && !compared.some(({ to }) => to === 'sdk2')),
      );
    assert.deepEqual(
      alone.map(({ title }) => title),
      [],
    );
  });

  test('a quick look has all measures that the full one has, those of MCPL among them', () => {
    const titles = (dose: number): readonly string[] => clientMeasures(dose, []).map(({ id }) => id);
    assert.deepEqual([...new Set(titles(1))].slice(-9), [
      'push',
      'hooks',
      'pushFlood',
      'scopes',
      'patches',
      'lineage',
      'states',
      'store',
      'growth',
    ]);
    assert.deepEqual(titles(0.2), titles(1));
  });
});
