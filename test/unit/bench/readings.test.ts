import assert from 'node:assert/strict';
import { readActivationTimes } from '../../bench/activationTimes.ts';
import { lastLineAs, parseCpuList } from '../../bench/job.ts';

const page = `## Performance Marks
|What|Duration|
|---|---|
|renderer ready|812|

## Extension Activation Stats
| Extension       | Eager | Load Code | Call Activate | Finish Activate | Event             | By              |
| ---             | ---   | ---       | ---           | ---             | ---               | ---             |
| mcp-live.one    | true  | 12        | 3             | 40              | onStartupFinished | mcp-live.one    |
| vscode.git      | false | 100       | 20            | 5               | *                 | vscode.git      |

## Raw Perf Marks
| Name | Timestamp | Delta | Total |
| ---  | ---       | ---   | ---   |
| a    | 1         | 2     | 3     |
`;

suite('what the benchmark reads from others', () => {
  test("the editor's page of start-up times gives the times of each extension", () => {
    assert.deepEqual(readActivationTimes(page), {
      'mcp-live.one': { load: 12, call: 3, finish: 40, total: 15 },
      'vscode.git': { load: 100, call: 20, finish: 5, total: 120 },
    });
  });

  test('a page that is not complete yet gives none', () => {
    assert.deepEqual(readActivationTimes('Loading...'), {});
    assert.deepEqual(readActivationTimes(page.slice(0, page.indexOf('| Extension'))), {});
  });

  test('a list of processors is read as the kernel writes it', () => {
    assert.deepEqual(['0', '0-3', '0-1,4,6-7\n', ''].map(parseCpuList), [[0], [0, 1, 2, 3], [0, 1, 4, 6, 7], []]);
  });

  test('the result of a process is its last line', () => {
    assert.deepEqual(lastLineAs('a warning\n{"p50":1}\n'), { p50: 1 });
    assert.equal(lastLineAs('{"p50":1}\nTypeError: no'), undefined);
    assert.equal(lastLineAs(''), undefined);
  });
});
