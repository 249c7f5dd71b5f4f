import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../../src/core/base/json.ts';
import type { McplVersion } from '../../../../../src/core/model/mcpl.ts';
import { decodeAdvert, encodeHostAdvert, type McplAdvert } from '../../../../../src/core/wire/mcpl/advert.ts';
import { mcplTraits } from '../../../../support/featureSets.ts';

function read(mcpl: Json, pin?: McplVersion): McplAdvert {
  const advert = decodeAdvert({ tools: {}, experimental: { mcpl } }, pin);
  assert.ok(advert !== undefined);
  return advert;
}

/** A dialect on one line. */
function line({ dialect, sets }: McplAdvert): string {
  const { version, claimed, after, inference, traits } = dialect;
  const { policy, blocks } = traits;
  const is = { ...dialect, scopes: traits.scopes !== 'none' };
  const flags = (['pushEvents', 'before', 'modelInfo', 'scopes', 'listsSets'] as const).filter((flag) => is[flag]);
  return `${version} (${claimed}) ${flags.join(' ')} | after ${after}, inference ${inference}, ${policy}, ${blocks}, ${sets.length} sets`;
}

const set = { description: 'd', uses: ['tools'], rollback: false, hostState: false };

suite('What a server says of MCPL', () => {
  test('is the whole of it for a server of 0.2', () => {
    const advert = read({
      version: '0.2',
      pushEvents: true,
      contextHooks: { beforeInference: true, afterInference: { blocking: false } },
      inferenceRequest: { streaming: true },
      modelInfo: true,
      featureSets: { 'memory.retrieval': { description: 'Retrieve', uses: ['contextHooks.beforeInference'] } },
    });
    assert.deepEqual(advert, {
      dialect: {
        version: '0.2',
        claimed: '0.2',
        pushEvents: true,
        before: true,
        after: 'notify',
        inference: 'streaming',
        modelInfo: true,
        traits: mcplTraits('0.2'),
        listsSets: false,
        remarks: [],
      },
      sets: [
        {
          name: 'memory.retrieval',
          description: 'Retrieve',
          uses: ['contextHooks.beforeInference'],
          scoped: false,
          rollback: false,
          hostState: false,
          problem: undefined,
        },
      ],
      before: { userMessage: true, positions: ['system', 'beforeUser', 'afterUser'] },
    });
  });

  test('is nothing anywhere but under experimental.mcpl, and there only as an object', () => {
    const others: readonly JsonObject[] = [
      {},
      { mcpl: { version: '0.2' } },
      { experimental: null },
      { experimental: [] },
      { experimental: { mcpl: true } },
      { experimental: { mcpl: [] } },
      { experimental: { MCPL: {} } },
    ];
    assert.deepEqual(
      others.map((capabilities) => decodeAdvert(capabilities)),
      others.map(() => undefined),
    );
    assert.equal(line(read({})), '0.2 () scopes | after none, inference none, notification, 0.2, 0 sets');
  });

  test('is read from every public server as it was recorded', () => {
    const recorded: readonly Json[] = [
      {
        version: '0.4',
        pushEvents: true,
        channels: false,
        rollback: false,
        featureSets: [{ name: 'heartbeat', ...set }],
      },
      { version: '0.4', pushEvents: false, channels: true, rollback: false },
      {
        version: '0.5',
        pushEvents: true,
        stateUpdate: true,
        channels: { register: true, publish: true, observe: true },
        branches: { list: true, create: true, switch: true, delete: true },
        featureSets: {
          'editor.observe': { name: 'editor.observe', ...set, uses: ['pushEvents', 'stateUpdate'] },
          'editor.write': { name: 'editor.write', ...set, rollback: true },
        },
      },
      {
        version: '0.4',
        pushEvents: true,
        channels: true,
        rollback: true,
        featureSets: [
          { name: 'discord.messaging', ...set, uses: ['tools', 'channels.publish'], tagOntology: { open: true } },
          { name: 'discord.channels', ...set },
          { name: 'discord.history', ...set },
          { name: 'discord.subscriptions', ...set },
        ],
      },
    ];
    assert.deepEqual(
      recorded.map((mcpl) => [line(read(mcpl)), ...read(mcpl).dialect.remarks]),
      [
        ['0.4 (0.4) pushEvents scopes listsSets | after none, inference none, notification, mcp, 1 sets'],
        [
          '0.4 (0.4) scopes | after none, inference none, notification, mcp, 0 sets',
          'It announces "channels", in which this host takes no part.',
        ],
        [
          '0.5 (0.5) pushEvents | after none, inference none, request, mcp, 2 sets',
          'It announces "stateUpdate", "channels", "branches", in which this host takes no part.',
        ],
        [
          '0.4 (0.4) pushEvents scopes listsSets | after none, inference none, notification, mcp, 4 sets',
          'It announces "channels", "rollback", in which this host takes no part.',
        ],
      ],
    );
  });

  test('has the nearest known version, the oldest where none can be read', () => {
    const versions = ['0.2.0-draft', '0.3', '0.4.1', 'v0.5', 0.4, '0.1', '0.50', '1.0', '0.9', '', 'new', null, {}, 3];
    assert.deepEqual(
      versions.map((version) => read({ version }).dialect.version),
      ['0.2', '0.3', '0.4', '0.5', '0.4', '0.2', '0.5', '0.5', '0.5', '0.2', '0.2', '0.2', '0.2', '0.2'],
    );
    assert.deepEqual(
      ['9.1', 'new', undefined, '0.3'].map((version) => read(version === undefined ? {} : { version }).dialect.remarks),
      [
        ['It claims MCPL 9.1, which this host does not know; 0.5 is assumed.'],
        ['It names "new" as its version of MCPL; 0.2 is assumed.'],
        ['It names no version of MCPL; 0.2 is assumed.'],
        [],
      ],
    );
    const long = read({ version: `0.3\u202e${'x'.repeat(5_000)}` }).dialect;
    assert.deepEqual([long.version, long.claimed.length, long.claimed.slice(0, 5)], ['0.3', 64, '0.3xx']);
  });

  test('counts for less than the version that the user pins', () => {
    const pinned = (['0.2', '0.3', '0.5'] as const).map((pin) => read({ version: '9.9' }, pin).dialect);
    assert.deepEqual(
      pinned.map(({ version, claimed, traits: { policy, scopes, blocks }, remarks }) => [
        version,
        claimed,
        policy,
        scopes !== 'none',
        blocks,
        remarks.length,
      ]),
      [
        ['0.2', '9.9', 'notification', true, '0.2', 0],
        ['0.3', '9.9', 'notification', true, 'mcp', 0],
        ['0.5', '9.9', 'request', false, 'mcp', 0],
      ],
    );
    assert.equal(decodeAdvert({}, '0.5'), undefined);
  });

  test('of the hook before is yes or no, in 0.5 leaf by leaf at any depth', () => {
    const before = (beforeInference: Json, version: string): string => {
      const { dialect, before: reach } = read({ version, contextHooks: { beforeInference } });
      return `${dialect.before} ${reach.userMessage} ${reach.positions.join('+')}`;
    };
    const all = 'true true system+beforeUser+afterUser';
    const none = 'false false ';
    assert.deepEqual(
      [true, {}, false, null, 'yes', { observe: false }].map((value) => [before(value, '0.2'), before(value, '0.5')]),
      [
        [all, all],
        [all, none],
        [none, none],
        [none, none],
        [none, none],
        [none, none],
      ],
    );
    assert.deepEqual(
      [
        { observe: true },
        { inject: { beforeUser: true } },
        { observe: true, inject: { system: true, afterUser: true, beforeUser: false } },
        { inject: true },
        { inject: {} },
      ].map((value) => before(value, '0.5')),
      [
        'true true ',
        'true false beforeUser',
        'true true system+afterUser',
        'true false system+beforeUser+afterUser',
        none,
      ],
    );
  });

  test('of the hook after may be any shape, and blocks only if it says so', () => {
    const after = (afterInference: Json): string =>
      read({ version: '0.2', contextHooks: { afterInference } }).dialect.after;
    assert.deepEqual(
      [true, {}, { blocking: true }, { blocking: false }, { blocking: 'true' }, false, null, 'blocking', []].map(after),
      ['notify', 'notify', 'blocking', 'notify', 'none', 'none', 'none', 'none', 'none'],
    );
    const late = read({
      version: '0.5',
      contextHooks: { afterInference: { blocking: true } },
      inferenceLifecycle: true,
    });
    assert.equal(late.dialect.after, 'blocking');
    assert.deepEqual(late.dialect.remarks, [
      'It announces "inferenceLifecycle", in which this host takes no part.',
      'It announces "afterInference", which MCPL 0.5 no longer has; it is used.',
    ]);
  });

  test('of inference says whether it comes in pieces', () => {
    const inference = (inferenceRequest: Json, version: string): string =>
      read({ version, inferenceRequest }).dialect.inference;
    const shapes = [true, {}, { streaming: true }, { streaming: false }, { streaming: 1 }, false, null, 'x'];
    assert.deepEqual(
      shapes.map((shape) => inference(shape, '0.2')),
      ['plain', 'plain', 'streaming', 'plain', 'none', 'none', 'none', 'none'],
    );
    assert.equal(inference({}, '0.5'), 'none');
  });

  test('is bounded in what is said of it', () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`cap${i}`, true]));
    const featureSets = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`s${i}`, set]));
    const advert = read({ version: '0.2', ...many, featureSets, ['\u202e'.repeat(3) + 'y'.repeat(500)]: true });
    assert.equal(advert.sets.length, 256);
    assert.deepEqual(advert.dialect.remarks, [
      'It announces "cap0", "cap1", "cap2", "cap3", "cap4", "cap5", "cap6", "cap7" and 293 more, in which this host takes no part.',
      '44 of its 300 feature sets cannot be used and are left out.',
    ]);
    let deep: Json = true;
    for (let i = 0; i < 100; i++) deep = { a: deep };
    assert.equal(read({ pushEvents: deep }).dialect.pushEvents, false);
  });
});

suite('The host’s announcement', () => {
  test('is MCPL 0.2 in every member, with sets by their names', () => {
    assert.deepEqual(encodeHostAdvert({ enabled: ['a'], disabled: ['b.c'] }), {
      version: '0.2',
      pushEvents: true,
      contextHooks: { beforeInference: true, afterInference: { blocking: true } },
      inferenceRequest: { streaming: true },
      modelInfo: true,
      featureSets: { enabled: ['a'], disabled: ['b.c'] },
    });
  });

  test('can be decoded by the host', () => {
    const { dialect } = read(encodeHostAdvert({ enabled: [], disabled: [] }));
    assert.deepEqual(
      [dialect.version, dialect.pushEvents, dialect.before, dialect.after, dialect.inference, dialect.modelInfo],
      ['0.2', true, true, 'blocking', 'streaming', true],
    );
  });
});
