import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { format } from 'prettier';
import type { Described } from '../../bench/measure.ts';
import { sectionText, withSection } from '../../bench/page.ts';
import type { Measured } from '../../bench/report.ts';
import { readRun, type Run, runText, together } from '../../bench/savedRun.ts';
import { inProject } from '../../harness/paths.ts';

const roundTrip: Described = {
  id: 'rt',
  title: 'Round trip',
  variants: ['host', 'sdk1'],
  metrics: [
    { key: 'p50', title: 'p50 µs' },
    { key: 'cpu', title: 'CPU µs' },
  ],
  compared: [{ metric: 'p50', to: 'sdk1' }],
  targets: [
    { id: '1a', what: 'p50 / SDK', metric: 'p50', of: 'host', to: 'sdk1', atMost: 0.88 },
    { id: '1a', what: 'CPU of *a|b*', metric: 'cpu', of: 'host', atLeast: 50 },
  ],
  repetitions: 3,
};

const calls: Measured = {
  measure: roundTrip,
  samples: {
    host: [
      { p50: 8.5, cpu: 40 },
      { p50: 8, cpu: 42.5 },
      { p50: 9, cpu: 41 },
    ],
    sdk1: [
      { p50: 10, cpu: 60 },
      { p50: 10, cpu: 61 },
      { p50: 12, cpu: Number.NaN },
    ],
  },
};

const scopes: Measured = {
  measure: {
    ...roundTrip,
    id: 'scopes',
    title: 'The hardest, [a_b]',
    variants: ['*a*|b'],
    metrics: [{ key: 'ms', title: 'ms' }],
    compared: [],
    targets: [],
    repetitions: 1,
  },
  samples: { '*a*|b': [{ ms: 1234.5 }] },
};

const run = (more: Partial<Run> = {}): Run => ({
  date: '2026-01-02T03:04:05.678Z',
  seed: 7,
  quick: false,
  machine: {
    cpu: 'Abacus_9',
    cores: 2,
    gigabytes: 7.8,
    system: 'Linux 6.1 x64',
    node: 'v24.1.0',
    loadBefore: 0.05,
    pinned: true,
  },
  results: [calls, scopes],
  ...more,
});

const formatted = (text: string): Promise<string> => format(text, { parser: 'markdown', printWidth: 120 });

const SECTION = `Measured on 2026-01-02 on Abacus\\_9 with 2 cores, 7.80 GB of memory, Linux 6.1 x64, Node v24.1.0. Load before: 0.050.

Targets met: 1 of 2. Cells are \`median [min..max]\` of the repetitions.

### Targets

| Target | What            |              Measured | Wanted         | Verdict    |
| ------ | --------------- | --------------------: | -------------- | ---------- |
| 1a     | p50 / SDK       | 0.800x [0.750..0.850] | at most 0.880x | met        |
| 1a     | CPU of \\*a\\|b\\* |         41 [40..42.5] | at least 50    | **missed** |

### \`rt\`: Round trip (3 repetitions)

|        |      p50 µs |        CPU µs |         p50 µs / sdk1 |
| ------ | ----------: | ------------: | --------------------: |
| \`host\` | 8.50 [8..9] | 41 [40..42.5] | 0.800x [0.750..0.850] |
| \`sdk1\` | 10 [10..12] |             - |                       |

### \`scopes\`: The hardest, \\[a\\_b\\] (1 repetition)

|          |    ms |
| -------- | ----: |
| \`*a*\\|b\` | 1 235 |
`;

suite('the page of results', () => {
  test('has the machine, the verdicts and a table for each measure', async () => {
    assert.equal(await formatted(sectionText(run())), SECTION);
    assert.equal(await formatted(SECTION), SECTION);
  });

  test('says what makes a run less certain', () => {
    const [first] = sectionText(run({ quick: true, machine: { ...run().machine, pinned: false } })).split('\n');
    assert.equal(
      first,
      'Measured on 2026-01-02 in a quick look, which is less certain, on Abacus\\_9 with 2 cores, 7.80 GB of memory, Linux 6.1 x64, Node v24.1.0. Load before: 0.050. Processes could not be pinned to cores.',
    );
  });

  test('a run without targets has no table of them', () => {
    assert.doesNotMatch(sectionText(run({ results: [scopes] })), /### Targets/);
  });

  test('only what stands between the marks is replaced, again and again', async () => {
    const page = await readFile(inProject('docs/performance.md'), 'utf8');
    const once = withSection(page, 'First.');
    assert.deepEqual(
      [once, withSection(once, 'Second.')].map((text) => /-->\n\n(.*)\n\n<!--/.exec(text)?.[1]),
      ['First.', 'Second.'],
    );
    const around = (text: string): readonly string[] => [text.split('<!--')[0] ?? '', text.split('-->')[2] ?? ''];
    assert.deepEqual(around(once), around(page));
  });

  test('a page without its marks, or with them in the other order, is left alone', async () => {
    const page = await readFile(inProject('docs/performance.md'), 'utf8');
    const [begin = '', end = ''] = page.match(/<!-- .* -->/g) ?? [];
    const swapped = page.replace(begin, '?').replace(end, begin).replace('?', end);
    for (const text of [page.replace(begin, ''), page.replace(end, ''), swapped])
      assert.throws(() => withSection(text, 'Text.'), /has lost its place for figures\. Put "<!-- /);
  });
});

suite('a run that was written down', () => {
  test('gives the same page when it is read again, and keeps every sample', () => {
    const again = readRun(runText(run()), 'a.json');
    assert.equal(sectionText(again), sectionText(run()));
    assert.deepEqual(again.results[0]?.samples['host'], calls.samples['host']);
  });

  test('holds its verdicts for other programs', () => {
    const { verdicts } = JSON.parse(runText(run()));
    assert.deepEqual(
      verdicts.map(({ what, met }: { what: string; met: boolean }) => [what, met]),
      [
        ['p50 / SDK', true],
        ['CPU of *a|b*', false],
      ],
    );
  });

  test('of another form is refused in words', () => {
    const withoutMachine = { ...JSON.parse(runText(run())), machine: { cpu: 'Abacus', cores: 2 } };
    for (const text of ['{"date":"2025-01-01","measures":[]}', JSON.stringify(withoutMachine)])
      assert.throws(() => readRun(text, 'old.json'), /old\.json is not what this/);
  });

  test('with others of its machine is one: the later of a measure counts, and the doubts of all', () => {
    const slower: Measured = { ...scopes, samples: { '*a*|b': [{ ms: 2_000 }] } };
    const early = run({ results: [calls, scopes], machine: { ...run().machine, loadBefore: 0.4 } });
    const late = run({ date: '2026-01-03T00:00:00.000Z', results: [slower], quick: true });
    const { date, quick, machine, results } = together([late, early]);
    assert.deepEqual([date, quick, machine.loadBefore], ['2026-01-03T00:00:00.000Z', true, 0.4]);
    assert.deepEqual(results, [calls, slower]);
  });

  test('with others of another machine is nothing', () => {
    const other = run({ machine: { ...run().machine, cores: 64 } });
    assert.throws(() => together([run(), other]), /of two machines: Abacus_9, 2 cores, .* and Abacus_9, 64 cores/);
    assert.throws(() => together([]), /There is no run/);
  });
});
