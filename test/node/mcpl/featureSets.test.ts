import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/index.ts';
import { ID, mcplCases, type McplCase, set, tool } from './mcplCase.ts';

const BEFORE = 'contextHooks.beforeInference';
const OFF = (name: string): string => `error -32001 Feature set not enabled {"featureSet":"${name}","canEnable":true}`;
const UNDECLARED =
  'error -32001 Use not declared {"featureSet":"a","reason":"undeclaredUse","use":"pushEvents",' +
  '"explanation":"The feature set \\"a\\" does not declare \\"pushEvents\\" in its \\"uses\\".","canEnable":true}';
const ACCEPTED = '{"accepted":true}';

/** The host's updates of the sets, in order. */
const updates = (opened: McplCase, id = ID): readonly unknown[] =>
  opened
    .life(id)
    .sent('featureSets/update')
    .map(({ params, id: request }) => [request, params]);

/** The same sets in both shapes that servers use. */
const ABC: readonly (readonly [string, JsonObject])[] = [
  ['a', set(BEFORE)],
  ['b', set('pushEvents')],
  ['c', set('tools')],
];
const SHAPES = [
  ['an object of sets', Object.fromEntries(ABC)],
  ['a list of sets', ABC.map(([name, declared]) => ({ name, ...declared }))],
] as const;

mcplCases('feature sets', (open) => {
  for (const [name, sets] of SHAPES)
    test(`${name} is answered with a notification that has each of them in one of the two lists`, async () => {
      const opened = await open({
        server: {
          sets,
          mcpl: { contextHooks: { beforeInference: true }, pushEvents: true },
          entry: { featureSets: { enabled: ['a'] } },
        },
      });
      assert.deepEqual(opened.heard(), [
        '> 1 initialize 2025-11-25',
        '> notifications/initialized {}',
        '> featureSets/update {"enabled":["a"],"disabled":["b","c"]}',
        '> 2 tools/list {}',
      ]);
      const at = (method: string): number =>
        opened.life().heard.find(({ message }) => message['method'] === method)?.at ?? Number.NaN;
      assert.ok(at('featureSets/update') - at('notifications/initialized') < 1_000);
      assert.deepEqual(opened.sets(), ['a enabled, notify', 'b disabled, notify', 'c disabled, notify']);
      assert.equal(opened.snapshot().mcpl?.dialect.listsSets, Array.isArray(sets));
      assert.deepEqual(await opened.audit(), ['case featureSets/update success: 1 on, 2 off']);
      assert.deepEqual([await opened.push('b', 'e-1'), await opened.push('a', 'e-2')], [OFF('b'), UNDECLARED]);
    });

  test('a server without sets gets an update too, because some wait for it', async () => {
    const opened = await open({ server: { sets: [] } });
    assert.deepEqual(updates(opened), [[undefined, { enabled: [], disabled: [] }]]);
    assert.deepEqual(
      [opened.sets(), await opened.push('a', 'e-1')],
      [[], 'error -32003 Unknown feature set {"featureSet":"a"}'],
    );
  });

  test('wildcards of the settings mean all that lies deeper, and none of them goes on the wire', async () => {
    const names = ['memory', 'memory.retrieval', 'memory.consolidation', 'memory.x.y', 'memoryless', 'other'];
    const opened = await open({
      server: {
        sets: Object.fromEntries(names.map((name) => [name, set('pushEvents')])),
        entry: { featureSets: { enabled: ['memory.*'], disabled: ['memory.consolidation'] } },
      },
    });
    const expected = {
      enabled: ['memory.retrieval', 'memory.x.y'],
      disabled: ['memory', 'memory.consolidation', 'memoryless', 'other'],
    };
    assert.deepEqual(updates(opened), [[undefined, expected]]);
    const answers = [];
    for (const name of names) answers.push((await opened.push(name, `of ${name}`)) === ACCEPTED);
    assert.deepEqual(answers, [false, true, false, true, false, false]);
    // A choice of the user splits the wildcard.
    await opened.disable('memory.x.y');
    await opened.enable('memory.consolidation', 'other');
    await opened.life().caughtUp();
    assert.deepEqual(updates(opened).slice(1), [
      [undefined, { enabled: ['memory.retrieval'], disabled: names.filter((name) => name !== 'memory.retrieval') }],
      [
        undefined,
        {
          enabled: ['memory.retrieval', 'memory.consolidation', 'other'],
          disabled: ['memory', 'memory.x.y', 'memoryless'],
        },
      ],
    ]);
    assert.equal(
      opened.heard().some((line) => line.includes('*')),
      false,
    );
  });

  test('a set that the user enables is sent to the server and works, and a disabled one stops at once', async () => {
    const opened = await open({ server: { sets: Object.fromEntries(ABC) } });
    const pid = opened.life().pid;
    assert.equal(await opened.push('b', 'e-1'), OFF('b'));
    await opened.enable('b');
    assert.equal(await opened.push('b', 'e-2'), ACCEPTED);
    // The server pushes before it has read the update. The result does not depend on that.
    await opened.disable('b');
    assert.equal(await opened.push('b', 'e-3'), OFF('b'));
    // The settings file has the same meaning in another form.
    opened.configure({ featureSets: { enabled: ['*'], disabled: ['a', 'c'] } });
    assert.equal(await opened.push('b', 'e-4'), ACCEPTED);
    opened.configure({ featureSets: { enabled: ['b'] } });
    await opened.life().caughtUp();
    // After each change the tools are listed again, at any time.
    const isListing = (line: string): boolean => /^> \d+ tools\/list /.test(line);
    assert.deepEqual(
      opened
        .heard()
        .slice(2)
        .filter((line) => !isListing(line)),
      [
        '> featureSets/update {"enabled":[],"disabled":["a","b","c"]}',
        '> "s1" error {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"b","canEnable":true}}',
        '> featureSets/update {"enabled":["b"],"disabled":["a","c"]}',
        '> "s2" {"accepted":true}',
        '> featureSets/update {"enabled":[],"disabled":["a","b","c"]}',
        '> "s3" error {"code":-32001,"message":"Feature set not enabled","data":{"featureSet":"b","canEnable":true}}',
        '> featureSets/update {"enabled":["b"],"disabled":["a","c"]}',
        '> "s4" {"accepted":true}',
      ],
    );
    assert.deepEqual(opened.events(), [
      'case b e-4 at 2026-02-03T10:00:00Z, "Event e-4.", unread',
      'case b e-2 at 2026-02-03T10:00:00Z, "Event e-2.", unread',
    ]);
    assert.deepEqual(await opened.audit('push/event'), [
      'case push/event b refused: Feature set not enabled',
      'case push/event b success: event e-2',
      'case push/event b refused: Feature set not enabled',
      'case push/event b success: event e-4',
    ]);
    assert.deepEqual([opened.peer().lives.length, opened.life().pid], [1, pid], 'Nothing of this restarts a server.');
  });

  test('sets that are added at run time are off, removed ones are unknown, and views and server are notified', async () => {
    const opened = await open({
      server: { sets: Object.fromEntries(ABC), entry: { featureSets: { enabled: ['a', 'b'] } } },
    });
    const changes: string[] = [];
    opened.host.onDidChangeServer(({ what }) => {
      // The tools are listed again afterwards, at any time.
      if (what !== 'tools') changes.push(what);
    });
    await opened.life().notify('featureSets/changed', { added: { new: set('pushEvents') }, removed: ['a', 'never'] });
    assert.deepEqual(
      [await opened.push('new', 'e-1'), await opened.push('a', 'e-2'), await opened.push('b', 'e-3')],
      [OFF('new'), 'error -32003 Unknown feature set {"featureSet":"a"}', ACCEPTED],
    );
    assert.deepEqual(updates(opened), [
      [undefined, { enabled: ['a', 'b'], disabled: ['c'] }],
      [undefined, { enabled: ['b'], disabled: ['c', 'new'] }],
    ]);
    assert.deepEqual(opened.sets(), ['b enabled, notify', 'c disabled, notify', 'new disabled, notify']);
    assert.deepEqual(changes, ['mcpl']);
    await opened.enable('new');
    assert.equal(await opened.push('new', 'e-4'), ACCEPTED);
    assert.deepEqual(await opened.audit(), [
      'case featureSets/update success: 2 on, 1 off',
      'case featureSets/changed success: added 1, removed 2',
      'case featureSets/update success: 1 on, 2 off',
      'case push/event new refused: Feature set not enabled',
      'case push/event a refused: Unknown feature set',
      'case push/event b success: event e-3',
      'case featureSets/update success: 2 on, 1 off',
      'case push/event new success: event e-4',
    ]);
  });

  test('a set that comes back with more rights than it was switched on with is off until it is switched on again', async () => {
    const opened = await open({
      server: { sets: Object.fromEntries(ABC), entry: { featureSets: { enabled: ['b'] } } },
    });
    const wider = set('pushEvents', 'inferenceRequest');
    await opened.life().notify('featureSets/changed', { added: [{ name: 'b', ...wider }] });
    assert.equal(await opened.push('b', 'e-1'), OFF('b'));
    assert.deepEqual(opened.sets(), ['a disabled, notify', 'b changed, notify', 'c disabled, notify']);
    assert.deepEqual(updates(opened).at(-1), [undefined, { enabled: [], disabled: ['a', 'b', 'c'] }]);
    await opened.enable('b');
    assert.equal(await opened.push('b', 'e-2'), ACCEPTED);
    assert.deepEqual(updates(opened).at(-1), [undefined, { enabled: ['b'], disabled: ['a', 'c'] }]);
    assert.deepEqual(opened.sets(), ['a disabled, notify', 'b enabled, notify', 'c disabled, notify']);
  });

  test('sets that lack a description or what they use are shown as invalid and never on, and all else works', async () => {
    const sets = {
      silent: { uses: ['pushEvents'] },
      useless: { description: 'Says not what it uses.' },
      odd: 'not an object',
      good: set('pushEvents'),
    };
    const opened = await open({ server: { sets, entry: { featureSets: { enabled: ['*'] } } } });
    assert.deepEqual(opened.sets(), [
      'silent invalid, notify, Its server does not describe it.',
      'useless invalid, notify, Its server does not say what it uses.',
      'odd invalid, notify, Its server does not describe it.',
      'good enabled, notify',
    ]);
    await opened.enable('silent', 'useless', 'odd');
    await opened.life().caughtUp();
    assert.deepEqual(updates(opened), [[undefined, { enabled: ['good'], disabled: ['silent', 'useless', 'odd'] }]]);
    assert.deepEqual(
      [await opened.push('silent', 'e-1'), await opened.push('good', 'e-2')],
      ['error -32001 Feature set not enabled {"featureSet":"silent","canEnable":false}', ACCEPTED],
    );
    assert.equal(opened.snapshot().state.kind, 'running');
  });

  test('a tool of a set that is off is not offered, and a call of it is refused without a word to the server', async () => {
    const opened = await open({
      server: {
        sets: { c: set('tools'), d: set('tools') },
        tools: [
          tool('claimed', { _meta: { featureSet: 'c' } }),
          tool('older', { featureSet: 'c' }),
          tool('mapped'),
          tool('free'),
        ],
        answers: { 'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }) },
        entry: { toolFeatureSets: { mapped: 'd' } },
      },
    });
    assert.deepEqual(opened.offered(), []);
    assert.deepEqual(opened.sets(), ['c disabled, notify, tools claimed older', 'd disabled, notify, tools mapped']);
    for (const [name, featureSet] of [
      ['claimed', 'c'],
      ['older', 'c'],
      ['mapped', 'd'],
    ] as const)
      await assert.rejects(opened.call(name), {
        code: 'FEATURE_SET_OFF',
        message: `The tool "${name}" is off with its feature set "${featureSet}".`,
      });
    await assert.rejects(opened.call('free'), {
      code: 'FEATURE_SET_OFF',
      message: 'The tool "free" may belong to any of 2 feature sets, and "c" is off.',
    });
    await opened.life().caughtUp();
    assert.deepEqual(opened.life().sent('tools/call'), []);
    await opened.enable('d');
    assert.deepEqual(opened.offered(), ['mapped']);
    await opened.enable('c');
    assert.deepEqual(opened.offered(), ['claimed', 'older', 'mapped', 'free']);
    assert.equal((await opened.call('claimed')).modelText, 'done');
    await opened.disable('c');
    await assert.rejects(opened.call('claimed'), { code: 'FEATURE_SET_OFF' });
    assert.equal(opened.life().sent('tools/call').length, 1);
    assert.deepEqual(await opened.audit('tools/call'), [
      'case tools/call c refused: claimed by api: The tool "claimed" is off with its feature set "c".',
      'case tools/call c refused: older by api: The tool "older" is off with its feature set "c".',
      'case tools/call d refused: mapped by api: The tool "mapped" is off with its feature set "d".',
      'case tools/call refused: free by api: The tool "free" may belong to any of 2 feature sets, and "c" is off.',
      'case tools/call c success: claimed by api',
      'case tools/call c refused: claimed by api: The tool "claimed" is off with its feature set "c".',
    ]);
  });
});

mcplCases('lists of a server that hides what is off', (open) => {
  for (const version of ['0.2', '0.5'])
    test(`MCPL ${version}: are read again when a set is switched on or off, and by refresh`, async () => {
      let isOn = false;
      const listed: string[] = [];
      const offers = {
        'tools/list': { tools: [tool('remember', { _meta: { featureSet: 'notes' } })] },
        'prompts/list': { prompts: [{ name: 'summary' }] },
        'resources/list': { resources: [{ uri: 'memo://1', name: 'One' }] },
        'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'memo://{id}', name: 'Any' }] },
      };
      const nothing = { tools: [], prompts: [], resources: [], resourceTemplates: [] };
      const lists = Object.entries(offers).map(
        ([method, offer]) =>
          [
            method,
            () => {
              listed.push(method);
              return isOn ? offer : nothing;
            },
          ] as const,
      );
      const opened = await open({
        server: {
          sets: { notes: set('tools') },
          mcpl: { version },
          capabilities: { tools: {}, prompts: {}, resources: {} },
          answers: { ...Object.fromEntries(lists), 'featureSets/update': () => ({ accepted: true }) },
        },
      });
      const offer = (): readonly number[] => {
        const { tools, prompts, resources, templates } = opened.snapshot();
        return [tools.length, prompts.length, resources.length, templates.length];
      };
      await opened.until('the first lists', () => listed.length === 4);
      await opened.host.refresh(ID);
      assert.deepEqual([offer(), listed.length], [[0, 0, 0, 0], 8]);
      isOn = true;
      await opened.enable('notes');
      await opened.until('what is on', () => offer().every((count) => count === 1));
      assert.deepEqual([opened.offered(), listed.length], [['remember'], 12]);
      isOn = false;
      await opened.disable('notes');
      await opened.until('the empty lists', () => offer().every((count) => count === 0));
      assert.equal(listed.length, 16);
      opened.configure({ push: { notes: 'inbox' } });
      await opened.host.refresh(ID);
      assert.deepEqual([new Set(listed.slice(16)), listed.length], [new Set(Object.keys(offers)), 20]);
    });
});
