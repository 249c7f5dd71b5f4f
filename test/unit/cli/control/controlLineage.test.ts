import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { HostError } from '../../../../src/core/index.ts';
import { Driver } from './driver.ts';
import { checkpoint, type FakeLineages, KEY, summary } from '../fakeLineages.ts';

const OK = (result: unknown): unknown => ({ id: 1, ok: true, result });

/** A checkpoint as a driver reads it, without undefined members. */
function shown(place: number, rest: object = {}): object {
  const view: unknown = JSON.parse(JSON.stringify({ ...checkpoint(place), shownAs: `chk_${place}`, ...rest }));
  return view as object;
}

suite('A driver and states', () => {
  let driver: Driver;
  let lineages: FakeLineages;

  setup(() => {
    driver = new Driver();
    ({ lineages } = driver.host);
  });

  teardown(() => {
    driver.dispose();
    assert.equal(lineages.watchers, 0);
  });

  async function ask(command: string, members: object = {}): Promise<unknown> {
    const said = (await driver.say({ id: 1, command, ...members })) as readonly { readonly id?: number }[];
    return said.find(({ id }) => id === 1);
  }

  async function refusal(command: string, members: object = {}): Promise<string> {
    const { error } = (await ask(command, members)) as { error: Record<string, string> };
    return [error['code'], error['message'], error['suggestion']].filter((part) => part !== undefined).join(' ');
  }

  test('lists the lineages, when what earlier sessions left was read', async () => {
    const facts = { ...KEY, id: 1, keeper: 'host', count: 2, size: 30, others: [], changedAt: summary().changedAt };
    assert.deepEqual(await ask('lineages'), OK([{ ...facts, head: shown(2) }]));
    assert.deepEqual(lineages.did, ['loaded']);
    lineages.summaries = [
      summary({ blocked: checkpoint(2), head: undefined, others: [{ conversation: 'c', place: 1 }] }),
    ];
    assert.deepEqual(
      await ask('lineages'),
      OK([{ ...facts, others: [{ conversation: 'c', place: 1 }], blocked: shown(2) }]),
    );
  });

  test('reads a window of the rows, with a filter or as they come', async () => {
    const graph = { lane: 0, through: [], children: [], folded: 0 };
    const common = { isOnLine: true, conversations: 0, rollbacks: 0 };
    const rows = [
      { ...common, position: 0, isHead: true, ...shown(2), graph: { ...graph, hasParent: true } },
      { ...common, position: 1, isHead: false, ...shown(1), graph: { ...graph, hasParent: false } },
    ];
    assert.deepEqual(await ask('checkpoints', KEY), OK({ version: 3, total: 2, all: 2, head: 0, lanes: 1, rows }));
    await ask('checkpoints', { ...KEY, filter: { text: 'x', only: 'marked' }, from: 5, count: 7 });
    assert.deepEqual(lineages.queries, [
      { ...KEY, filter: { text: '', only: 'all' }, from: 0, count: 100 },
      { ...KEY, filter: { text: 'x', only: 'marked' }, from: 5, count: 7 },
    ]);
  });

  test('looks at one checkpoint and at its state', async () => {
    assert.deepEqual(
      await ask('checkpoint', { place: 2 }),
      OK({
        ...KEY,
        keeper: 'host',
        children: 0,
        body: '[]',
        isBodyCut: false,
        isHead: true,
        ...shown(2),
        parentNode: shown(1),
        moves: [{ at: summary().changedAt, kind: 'rollback', from: 2, to: 1, refusal: 'It was sent.' }],
      }),
    );
    assert.equal(
      await refusal('checkpoint', { place: 9 }),
      'UNKNOWN_CHECKPOINT There is no checkpoint number 9. List them with "checkpoints".',
    );
    assert.deepEqual(await ask('state', { place: 1 }), OK({ text: '{"form":"compact"}' }));
    assert.deepEqual(await ask('state', { place: 1, form: 'pretty' }), OK({ text: '{"form":"pretty"}' }));
    assert.deepEqual(await ask('state', { place: 2 }), OK({ text: null }));
  });

  test('gets the effects of a rollback before it requests it', async () => {
    assert.deepEqual(
      await ask('planRollback', { place: 1 }),
      OK({
        ...KEY,
        left: [shown(2)],
        leftCount: 1,
        isBack: true,
        head: shown(2),
        target: shown(1),
        hasState: true,
        hindrance: 'Start it first.',
        canContinue: true,
        tools: [{ tool: 'write', count: 1, reachesOut: true }],
      }),
    );
  });

  test('rolls back, by the number of a checkpoint or by its name, and reads how it went', async () => {
    assert.deepEqual(await ask('rollback', { place: 1 }), OK({ kind: 'rolledBack', head: shown(1) }));
    lineages.outcome = { kind: 'elsewhere', head: checkpoint(3), asked: checkpoint(1) };
    assert.deepEqual(
      await ask('rollback', { ...KEY, checkpoint: 'chk_1', conversation: 'c1' }),
      OK({ kind: 'elsewhere', head: shown(3), asked: shown(1) }),
    );
    lineages.outcome = { kind: 'refused', reason: 'It was sent.', canContinue: true };
    assert.deepEqual(await ask('rollback', { place: 1 }), OK(lineages.outcome));
    lineages.outcome = { kind: 'pruned', canContinue: false };
    assert.deepEqual(await ask('rollback', { place: 1 }), OK(lineages.outcome));
    lineages.outcome = { kind: 'unanswered', reason: 'Too slow.', canContinue: false };
    assert.deepEqual(await ask('rollback', { place: 1 }), OK(lineages.outcome));
    assert.deepEqual(lineages.did, [
      'rollBack 1 - token',
      'rollBack 1 c1 token',
      ...Array<string>(3).fill('rollBack 1 - token'),
    ]);
  });

  test('distinguishes copies of one name as they are shown', async () => {
    lineages.nodes = [
      checkpoint(4, { checkpoint: 'a#2' }),
      checkpoint(3, { checkpoint: 'a', copy: 2 }),
      checkpoint(2, { checkpoint: 'a' }),
      checkpoint(1, { checkpoint: 'b', copy: 2 }),
    ];
    for (const [name, place] of [
      ['a', 2],
      // The server's own name comes first.
      ['a#2', 4],
      ['b#2', 1],
    ] as const) {
      await ask('continueFrom', { ...KEY, checkpoint: name });
      assert.equal(lineages.did.at(-1), `continue ${place} -`);
    }
    for (const [key, name] of [
      [KEY, 'b'],
      [KEY, 'a#3'],
      [{ ...KEY, featureSet: 'other' }, 'a'],
    ] as const)
      assert.equal(
        await refusal('rollback', { ...key, checkpoint: name }),
        `UNKNOWN_CHECKPOINT There is no checkpoint "${name}" of "files". List them with "checkpoints".`,
      );
  });

  test('works on from a checkpoint, and marks one', async () => {
    assert.match(JSON.stringify(await ask('continueFrom', { place: 1, conversation: 'c1' })), /"shownAs":"chk_1"/);
    await ask('annotate', { place: 2, name: 'before', isPinned: true });
    await ask('annotate', { place: 2, name: '' });
    assert.deepEqual(lineages.did, [
      'continue 1 c1',
      'annotate 2 {"name":"before","isPinned":true}',
      'annotate 2 {"name":""}',
    ]);
  });

  test('writes a lineage to a file, reads one, and gives one up', async () => {
    const file = resolve('a.json');
    assert.deepEqual(await ask('exportLineage', { ...KEY, file: 'a.json' }), OK({ file, checkpoints: 2 }));
    assert.deepEqual(await ask('importLineage', { ...KEY, file }), OK({ added: 2, known: 1 }));
    assert.deepEqual(await ask('forgetLineage', KEY), OK(null));
    assert.deepEqual(lineages.did, [
      `export files.book ${file}`,
      `import files.book ${file}`,
      'forget files files.book',
    ]);
  });

  test('gets changes, states that could not be computed, and changes by other processes while it watches', async () => {
    lineages.changed.fire();
    lineages.summaries = [summary({ head: undefined, blocked: checkpoint(2) })];
    lineages.changed.fire();
    lineages.broken.fire({ ...KEY, place: 2, tool: 'write', problem: 'It does not fit.' });
    lineages.broken.fire({ ...KEY, place: undefined, tool: undefined, problem: 'The disk is full.' });
    assert.deepEqual(driver.heard(), [
      { event: 'lineages', lineages: [{ ...KEY, count: 2, head: 2 }] },
      { event: 'lineages', lineages: [{ ...KEY, count: 2, blocked: 2 }] },
      { event: 'stateTrouble', ...KEY, place: 2, tool: 'write', problem: 'It does not fit.' },
      { event: 'stateTrouble', ...KEY, problem: 'The disk is full.' },
    ]);
    const watchers: number[] = [];
    for (const on of [true, true, false, false, true]) {
      assert.deepEqual(await ask('watchLineages', { on }), OK(null));
      watchers.push(lineages.watchers);
    }
    assert.deepEqual(watchers, [1, 1, 0, 0, 1]);
  });

  test('reads with the result of a call what became of the state that came with it', async () => {
    const call = { server: 'files', tool: 'read' };
    assert.equal(Object.hasOwn(((await ask('call', call)) as { result: object }).result, 'kept'), false);
    for (const kept of [
      { kind: 'kept', checkpoint: 'chk_3', place: 3 },
      { kind: 'broken', checkpoint: 'chk_3', place: 3, problem: 'It does not fit.' },
      { kind: 'lost', checkpoint: 'chk_3', problem: 'The disk is full.' },
    ] as const) {
      driver.host.kept = kept;
      assert.deepEqual(((await ask('call', call)) as { result: { kept: unknown } }).result.kept, kept);
    }
  });

  test('gets the reason of a refusal, and the next step', async () => {
    lineages.failure = new HostError('STORAGE_FAILED', 'The disk is full.', {
      layer: 'host',
      effect: 'none',
      suggestion: 'Make room.',
    });
    for (const [command, members] of [
      ['rollback', { place: 1 }],
      ['continueFrom', { place: 1 }],
      ['annotate', { place: 1, isPinned: true }],
      ['exportLineage', { ...KEY, file: 'x' }],
      ['forgetLineage', KEY],
    ] as const)
      assert.equal(await refusal(command, members), 'STORAGE_FAILED The disk is full. Make room.');
  });

  const named = { server: 'files', featureSet: 'x', checkpoint: 'a' };
  for (const [command, members, problem] of [
    ['checkpoints', { server: 'files' }, '"featureSet" must be a text.'],
    ['checkpoints', { ...KEY, filter: 'x' }, '"filter" must be an object.'],
    ['checkpoints', { ...KEY, filter: { only: 'some' } }, '"only" must be one of all, line, marked, problems.'],
    ['checkpoints', { ...KEY, filter: { text: 'x'.repeat(1_001) } }, '"text" must have at most 1000 characters.'],
    ['checkpoints', { ...KEY, from: -1 }, '"from" must be a whole number from 0 on.'],
    ['checkpoints', { ...KEY, count: 1_001 }, '"count" must be a whole number from 0 to 1000.'],
    ['checkpoint', {}, '"place" is missing: a whole number.'],
    ['checkpoint', { place: 1.5 }, '"place" must be a whole number from 0 on.'],
    ['checkpoint', { place: 2 ** 53 }, '"place" must be a whole number from 0 on.'],
    ['state', { place: 1, form: 'ugly' }, '"form" must be one of compact, pretty.'],
    ['rollback', {}, '"server" must be a text.'],
    ['rollback', { ...named, checkpoint: 7 }, '"checkpoint" must be a text.'],
    ['rollback', { ...named, place: 1 }, 'Either "place" or "checkpoint" says where to, not both.'],
    ['rollback', { place: 1, conversation: '' }, '"conversation" must not be empty: leave it out for all of them.'],
    ['continueFrom', { place: null }, '"place" must be a whole number from 0 on.'],
    ['annotate', { place: 1 }, 'Give a "name", or say with "isPinned".'],
    ['annotate', { place: 1, isPinned: 'yes' }, '"isPinned" must be true or false.'],
    ['annotate', { place: 1, name: 'x'.repeat(1_001) }, '"name" must have at most 1000 characters.'],
    ['exportLineage', KEY, '"file" must be a text.'],
    ['exportLineage', { ...KEY, file: '' }, '"file" must be the path of a file.'],
    ['importLineage', { ...KEY, file: 'a\0b' }, '"file" must be the path of a file.'],
    ['forgetLineage', { server: 7, featureSet: 'x' }, '"server" must be a text.'],
    ['watchLineages', {}, '"on" must be true or false.'],
  ] as const)
    test(`refuses ${command} ${JSON.stringify(members).slice(0, 80)}`, async () => {
      const told = await refusal(command, members);
      assert.equal(told.slice(0, told.indexOf(' Write one')), `INVALID_COMMAND ${problem}`);
      assert.deepEqual(lineages.did, []);
    });
});
