import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { SETTINGS_CONSENT } from '../../../../src/core/consent/ownSettings.ts';
import type { StartAnswer } from '../../../../src/core/ports.ts';
import { settle } from '../../../support/fakeClock.ts';
import { fakeFiles } from '../../../support/fakeFiles.ts';
import { definitionOf, GateCase } from './startGateCase.ts';

const NO_HEADS = { head: undefined, others: [], blocked: undefined } as const;

const on = (...enabled: string[]) => ({ featureSets: { enabled } });
const notApproved = (error: unknown): boolean => isHostError(error, 'NOT_APPROVED');

suite('The gate before a start, and feature sets', () => {
  const mine = { command: 'x' };

  test('asks for what the workspace switches on of the user’s own server, and says what', async () => {
    const own = new GateCase();
    own.answer = 'dontStart';
    const definition = definitionOf(mine, on('memory.*'));
    await assert.rejects(own.start(definition), notApproved);
    own.answer = 'start';
    await own.start(definition);
    await own.start(definition);
    const remark = 'Its feature sets are on, which may let it read your chats and add to them: "memory.*".';
    assert.equal(own.reasons, `first: ${remark}\nfirst: ${remark}`);
    assert.deepEqual(own.grants, [{ autoApprove: [], others: ['featureSets ["memory.*"]'] }]);
    await own.start(definitionOf(mine, on('memory.recall')));
    await own.start(definitionOf(mine, {}));
    assert.equal(own.questions.length, 2, 'narrower needs no question');
    await own.start(definitionOf(mine, on('memory.*', 'chat')));
    assert.equal(own.questions.at(-1)?.reason, 'widened');
  });

  test('says of a server in a new form that it goes on with what was kept under its name', async () => {
    const own = new GateCase();
    own.lineages = [
      { id: 1, server: 'a', featureSet: 'notes.book', keeper: 'host', count: 12, size: 9, changedAt: 0, ...NO_HEADS },
    ];
    const workspace = (command: string) => definitionOf(undefined, { command, enabled: true });
    await own.start(workspace('one'));
    await own.start(workspace('two'));
    const remark = 'It continues with the state that was kept for "a": 12 checkpoints of "notes.book".';
    assert.equal(own.reasons, `first: ${remark}\nchanged: ${remark}`);
  });

  test('asks for nothing that the user’s own settings say', async () => {
    const own = new GateCase();
    await own.start(definitionOf({ ...mine, ...on('*') }, { featureSets: { disabled: ['x'] } }));
    assert.deepEqual([own.questions.length, own.consents.size], [0, 0]);
  });

  test('asks for nothing that the user chose in one of our own views', async () => {
    const own = new GateCase();
    await own.gate.amendFeatureSets(definitionOf(mine, {}), ['memory.recall'], true);
    const consent = await own.start(definitionOf(mine, on('memory.recall')));
    assert.deepEqual(consent?.grants, { autoApprove: [], others: ['featureSets ["memory.recall"]'] });
    await own.gate.amendPush(definitionOf(mine, on('memory.recall')), 'memory.recall', 'infer');
    await own.start(definitionOf(mine, { ...on('memory.recall'), push: { 'memory.recall': 'infer' } }));
    assert.equal(own.questions.length, 0);
    await own.gate.amendFeatureSets(definitionOf(mine, on('memory.recall')), ['memory.recall'], false);
    await own.gate.amendPush(definitionOf(mine, {}), 'memory.recall', 'inbox');
    assert.deepEqual(own.grants, [{ autoApprove: [], others: [] }]);
    await own.start(definitionOf(mine, on('memory.recall')));
    assert.equal(own.questions.length, 1);
  });

  test('takes over what the user chose while another question still waits', async () => {
    const own = new GateCase();
    const answer = new Deferred<StartAnswer>();
    own.answer = answer.promise;
    const started = own.start(definitionOf(mine, on('memory.recall')));
    await settle();
    await own.gate.amendFeatureSets(definitionOf(mine, on('memory.recall')), ['memory.store'], true);
    assert.deepEqual(own.grants, [{ autoApprove: [], others: ['featureSets ["memory.store"]'] }]);
    answer.resolve('start');
    await started;
  });

  test('takes no choice of feature sets for the consent to start what the workspace defines', async () => {
    const own = new GateCase();
    own.answer = 'dismissed';
    const theirs = definitionOf(undefined, mine);
    assert.equal(await own.gate.amendFeatureSets(theirs, ['memory.recall'], true), undefined);
    assert.equal(await own.gate.amendPush(theirs, 'memory.recall', 'infer'), undefined);
    await assert.rejects(own.start(definitionOf(undefined, { ...mine, ...on('memory.recall') })), notApproved);
  });

  test('keeps what was granted of one kind when another is changed', async () => {
    const own = new GateCase();
    const theirs = { ...mine, ...on('memory.*'), tools: { autoApprove: ['r'] } };
    const definition = definitionOf(undefined, theirs);
    await own.gate.allow(definition);
    await own.gate.amend(definition, ['w'], true);
    await own.gate.amendFeatureSets(definition, ['chat'], true);
    assert.deepEqual(own.grants, [
      { autoApprove: ['r', 'w'], others: ['featureSets ["chat"]', 'featureSets ["memory.*"]'] },
    ]);
    await own.start(definition);
    assert.equal(own.questions.length, 0);
  });

  test('reads a consent of an earlier version, which knew of no feature sets', async () => {
    const own = new GateCase();
    const before = definitionOf(undefined, { ...mine, tools: { autoApprove: ['r'] } });
    const { grants, ...rest } = await own.gate.allow(before);
    own.consents.set(`a ${rest.fingerprint}`, { ...rest, grants: { autoApprove: grants.autoApprove } });
    await own.start(before);
    assert.equal(own.questions.length, 0);
    await own.start(definitionOf(undefined, { ...mine, tools: { autoApprove: ['r'] }, ...on('chat') }));
    assert.equal(own.questions.at(-1)?.reason, 'widened');
  });
});

suite('The gate before a start, and files of the workspace', () => {
  /** A user's server that runs in the workspace. */
  const inside = { command: 'node', args: ['server.js'], cwd: '/project' };
  const mine = (entry: object) => definitionOf(entry, undefined);

  test('asks about them once, keeps that apart from the consent to start, and looks nothing up without need', async () => {
    const own = new GateCase();
    assert.equal(await own.outcome(mine({ command: 'node' })), 'starts');
    assert.deepEqual([own.lookups, own.announced], [[], 0]);
    assert.equal(await own.outcome(mine(inside)), 'workspaceFiles, starts');
    assert.deepEqual([own.grants, own.announced], [[{ autoApprove: [], others: ['workspaceFiles'] }], 1]);
    assert.equal(await own.outcome(mine(inside)), 'starts');
    assert.equal(await own.outcome(mine({ ...inside, args: ['other.js'] })), 'workspaceFiles, starts');
    // One question contains both answers, which are stored separately.
    const both = definitionOf(inside, { tools: { autoApprove: ['r'] } });
    own.consents.clear();
    assert.equal(await own.outcome(both), 'first, starts');
    assert.deepEqual(own.grants, [
      { autoApprove: [], others: ['workspaceFiles'] },
      { autoApprove: ['r'], others: [] },
    ]);
    assert.equal(await own.outcome(both), 'starts');
  });

  test('keeps nothing of a question that was not answered with a start, and says what to do next', async () => {
    for (const answer of ['dontStart', 'dismissed'] as const) {
      const own = new GateCase();
      own.answer = answer;
      const failed = await own
        .start(definitionOf(inside, { tools: { autoApprove: ['r'] } }))
        .catch((error: unknown) => error);
      assert.ok(isHostError(failed));
      assert.deepEqual(
        [failed.code, failed.message, failed.layer, failed.effect, failed.suggestion, own.grants],
        [
          'NOT_APPROVED',
          'The server "a" was not allowed to start.',
          'policy',
          'none',
          'Start it again and choose Start.',
          [],
        ],
      );
    }
  });

  test('binds the answer to the definition, to the set of folders in any order, and to each file', async () => {
    const own = new GateCase();
    const [one, two] = [
      { name: 'project', path: '/project' },
      { name: 'two', path: '/two' },
    ];
    const inOne = { command: 'node', env: { NODE_OPTIONS: '--require /project/a.js' } };
    own.folders = [one, two];
    assert.equal(await own.outcome(mine(inOne)), 'workspaceFiles, starts');
    own.folders = [two, one];
    assert.equal(await own.outcome(mine(inOne)), 'starts');
    own.folders = [one, { name: 'three', path: '/three' }];
    assert.equal(await own.outcome(mine(inOne)), 'workspaceFiles, starts');
    own.folders = [one];
    assert.equal(await own.outcome(mine(inOne)), 'workspaceFiles, starts');
    // The definition stays the same, but its variable names another file or is another variable.
    const byEnv = { command: 'node', args: ['${env:FILE}'] };
    own.env['FILE'] = '/elsewhere';
    assert.equal(await own.outcome(mine(byEnv)), 'starts');
    for (const file of ['/project/a.js', '/project/b.js']) {
      own.env['FILE'] = file;
      assert.equal(await own.outcome(mine(byEnv)), 'workspaceFiles, starts', file);
      assert.equal(await own.outcome(mine(byEnv)), 'starts', file);
    }
    const inherits = { command: '/usr/bin/node' };
    for (const name of ['NODE_OPTIONS', 'LD_PRELOAD', 'PATH']) {
      own.env['NODE_OPTIONS'] = own.env['LD_PRELOAD'] = own.env['PATH'] = '';
      own.env[name] = '/project/bin';
      assert.equal(await own.outcome(mine(inherits)), 'workspaceFiles, starts', name);
      assert.equal(await own.outcome(mine(inherits)), 'starts', name);
    }
  });

  test('does not ask again about files that the working folder implies', async () => {
    const own = new GateCase();
    own.fileNames = fakeFiles({ '/project/server.js': 'file', '/project/other.js': 'file' });
    const byEnv = { ...inside, args: ['${env:FILE}'] };
    for (const [file, expected] of [
      ['server.js', 'workspaceFiles, starts'],
      ['other.js', 'starts'],
      ['absent.js', 'starts'],
    ] as const) {
      own.env['FILE'] = file;
      assert.equal(await own.outcome(mine(byEnv)), expected, file);
    }
  });

  test('looks at them again only where an answer to an input changed what runs', async () => {
    const own = new GateCase();
    const lookups = async (entry: object): Promise<number> => {
      const before = own.fileNames.asked.length;
      await own.start(mine(entry));
      return own.fileNames.asked.length - before;
    };
    const plain = await lookups({ command: 'node', args: ['x'], env: { A: 'x' } });
    assert.ok(plain > 0);
    own.inputs['x'] = { kind: 'value', value: 'x', secret: false };
    assert.ok((await lookups({ command: 'node', args: ['x'], env: { A: '${input:x}' } })) > plain);
    assert.equal(own.reasons, '');

    // The input leads to no other file, so the first question covers it.
    own.lookups.length = 0;
    assert.equal(await own.outcome(mine({ ...inside, env: { A: '${input:x}' } })), 'workspaceFiles, starts');
    assert.deepEqual(own.lookups, ['list', 'find', 'save']);
    own.inputs['x'] = { kind: 'value', value: '/project/hook.js', secret: false };
    const hook = { ...inside, env: { NODE_OPTIONS: '${input:x}' } };
    assert.equal(await own.outcome(mine(hook)), 'workspaceFiles, workspaceFiles, starts');
    assert.match(own.questions.at(-1)?.remarks.join(' ') ?? '', /"\/project\/hook\.js"/);
    own.consents.clear();
    own.answer = 'dontStart';
    assert.equal(await own.outcome(mine(hook)), 'workspaceFiles, NOT_APPROVED');
  });

  test('asks before any input, and shows inputs as they are written', async () => {
    const own = new GateCase();
    own.answer = 'dontStart';
    own.fileNames = fakeFiles({ '/project': 'folder' });
    const entry = { command: 'node', args: ['/project/${input:key}'] };
    // The input is not declared, so a start would fail.
    assert.equal(await own.outcome(mine(entry)), 'workspaceFiles, NOT_APPROVED');
    assert.match(own.reasons, /"\/project\/\$\{input:key\}"/);

    own.env['FILE'] = '/project/hook.js';
    own.files['/home/me/.env'] = 'NODE_OPTIONS=--require /project/hook.js';
    for (const differing of [{ args: ['${env:FILE}'] }, { envFile: '/home/me/.env' }]) {
      const before = { command: 'node', env: { KEY: '${input:key}' }, ...differing };
      assert.equal(await own.outcome(mine(before)), 'workspaceFiles, NOT_APPROVED', JSON.stringify(differing));
    }
  });

  test('looks for none where no folder is open, of a remote server, or of one that the workspace defines', async () => {
    const own = new GateCase();
    await own.start(mine({ url: 'https://example.com/${env:X}' }));
    await own.start(definitionOf(undefined, { ...inside, args: ['${env:Y}'], enabled: true }));
    own.folders = [];
    await own.start(mine({ ...inside, args: ['${env:Z}'] }));
    assert.deepEqual(own.envReads, ['X', 'Y', 'Z'], 'each connection is expanded once');
    assert.deepEqual(own.fileNames.asked, []);
    assert.equal(own.reasons, 'first: ');
  });

  test('runs what the question was about, though the environment file changes while the user reads', async () => {
    const own = new GateCase();
    own.files['/project/.env'] = 'A=before';
    const answer = new Deferred<StartAnswer>();
    own.answer = answer.promise;
    const started = own.admit(mine({ ...inside, envFile: '/project/.env' }));
    await settle();
    own.files['/project/.env'] = 'A=after';
    answer.resolve('start');
    const { expanded, fingerprint } = await started;
    assert.deepEqual(expanded.connection, {
      kind: 'stdio',
      command: 'node',
      args: ['server.js'],
      env: { A: 'before' },
      cwd: '/project',
    });
    assert.deepEqual(own.reads, ['/project/.env']);
    const next = await own.admit(mine({ ...inside, envFile: '/project/.env' }));
    assert.notEqual(next.fingerprint, fingerprint);
    assert.deepEqual(
      own.questions.map(({ reason }) => reason),
      ['workspaceFiles', 'workspaceFiles'],
    );
  });

  test('asks nothing about a start that the user chose, which counts for one start in this form only', async () => {
    const own = new GateCase();
    own.answer = 'dontStart';
    own.gate.choose(undefined);
    own.gate.choose(mine(inside));
    assert.equal(await own.outcome(mine(inside)), 'starts');
    assert.equal(await own.outcome(mine(inside)), 'starts', 'and is kept');
    own.consents.clear();
    assert.equal(await own.outcome(mine(inside)), 'workspaceFiles, NOT_APPROVED');

    // A choice ends with the next start, even if that needed none.
    const byEnv = mine({ command: 'node', args: ['${env:FILE}'] });
    own.env['FILE'] = '/elsewhere';
    own.gate.choose(byEnv);
    assert.equal(await own.outcome(byEnv), 'starts');
    own.env['FILE'] = '/project/a.js';
    assert.equal(await own.outcome(byEnv), 'workspaceFiles, NOT_APPROVED');

    // A start with another definition uses it up too.
    own.gate.choose(mine(inside));
    assert.equal(await own.outcome(mine({ ...inside, args: [] })), 'workspaceFiles, NOT_APPROVED');
    assert.equal(await own.outcome(mine(inside)), 'workspaceFiles, NOT_APPROVED');

    own.gate.choose(mine(inside));
    own.folders = [{ name: 'project', path: '/other' }];
    assert.equal(await own.outcome(mine({ ...inside, cwd: '/other' })), 'workspaceFiles, NOT_APPROVED');
  });

  test('takes an entry that the user wrote in our own views for the answer to both questions', async () => {
    const own = new GateCase();
    own.answer = 'dontStart';
    const definition = definitionOf(inside, { tools: { autoApprove: ['w', 'r'] } });
    const consent = await own.gate.allow(definition);
    assert.deepEqual(consent.grants, { autoApprove: ['r', 'w'], others: [] });
    assert.equal(await own.outcome(definition), 'starts');
    assert.equal(own.consents.size, 2);
    await own.gate.forget('other');
    assert.equal(own.consents.size, 2);
    await own.gate.forget('a');
    assert.equal(own.consents.size, 0);
    assert.equal(await own.outcome(definition), 'first, NOT_APPROVED');
  });
});

suite('The reason of a question before a start', () => {
  const theirs = (command: string) => definitionOf(undefined, { command, enabled: true });

  test('is a change only where this server was allowed before in another form', async () => {
    const kept = { server: 'a', fingerprint: 'old', grants: { autoApprove: [] }, at: 0 };
    for (const [consent, expected] of [
      [undefined, 'first'],
      [kept, 'changed'],
      [{ ...kept, grants: { autoApprove: [], others: ['featureSets ["x"]'] } }, 'changed'],
      [{ ...kept, server: 'b' }, 'first'],
      [{ ...kept, fingerprint: SETTINGS_CONSENT }, 'first'],
      [{ ...kept, grants: { autoApprove: [], others: ['workspaceFiles'] } }, 'first'],
    ] as const) {
      const own = new GateCase();
      if (consent !== undefined) own.consents.set(`${consent.server} ${consent.fingerprint}`, consent);
      assert.equal(await own.outcome(theirs('x')), `${expected}, starts`, JSON.stringify(consent));
    }
  });

  test('mentions kept state only for a server in a form that is new', async () => {
    const own = new GateCase();
    own.lineages = [
      { id: 1, server: 'a', featureSet: 'notes.book', keeper: 'host', count: 12, size: 9, changedAt: 0, ...NO_HEADS },
    ];
    await own.start(definitionOf(undefined, { command: 'x', tools: { autoApprove: ['r'] } }));
    await own.start(definitionOf(undefined, { command: 'x', tools: { autoApprove: ['r', 'w'] } }));
    await own.start(definitionOf({ command: 'y', cwd: '/project' }, undefined));
    assert.deepEqual(
      own.questions.map(({ reason, remarks }) => [reason, remarks.some((remark) => remark.includes('12 checkpoints'))]),
      [
        ['first', true],
        ['widened', false],
        ['workspaceFiles', false],
      ],
    );
  });

  test('is asked for after the question before it, and no more by a start that was cancelled meanwhile', async () => {
    const own = new GateCase();
    const answer = new Deferred<StartAnswer>();
    own.answer = answer.promise;
    const first = own.outcome(theirs('x'));
    const source = new CancellationSource();
    const second = own.admit(theirs('y'), source).then(
      () => 'starts',
      (error: unknown) => (isHostError(error) ? `${error.code} ${error.message}` : String(error)),
    );
    await settle();
    source.cancel();
    answer.resolve('dontStart');
    assert.deepEqual([await first, await second], ['first, NOT_APPROVED', 'CANCELLED The start was cancelled.']);
    assert.deepEqual([own.questions.length, own.announced], [1, 1]);
  });

  test('keeps no other question waiting where the start is cancelled and the prompt stays open', async () => {
    const own = new GateCase();
    own.answer = new Deferred<StartAnswer>().promise;
    const source = new CancellationSource();
    const first = own.admit(theirs('x'), source).then(
      () => 'starts',
      (error: unknown) => (isHostError(error) ? `${error.code} ${error.message}` : String(error)),
    );
    await settle();
    source.cancel();
    assert.equal(await first, 'CANCELLED The question was cancelled.');
    own.answer = 'start';
    assert.equal(await own.outcome(theirs('x')), 'first, starts');
  });
});

suite('A choice in one of our own views, of a server', () => {
  const user = definitionOf({ command: 'x' }, undefined);
  const theirs = definitionOf(undefined, { command: 'x', enabled: true });

  test('that the workspace defines needs the consent to start first, and so does one that only narrows', async () => {
    const own = new GateCase();
    assert.deepEqual(
      [
        await own.gate.amend(theirs, ['r'], true),
        await own.gate.amend(theirs, ['r'], false),
        await own.gate.amend(user, ['r'], false),
        await own.gate.amendFeatureSets(user, ['s'], false),
        await own.gate.amendPush(user, 's', 'inbox'),
        own.consents.size,
      ],
      [undefined, undefined, undefined, undefined, undefined, 0],
    );
    await own.start(theirs);
    assert.deepEqual((await own.gate.amend(theirs, ['w', 'r'], true))?.grants, { autoApprove: ['r', 'w'], others: [] });
    assert.deepEqual((await own.gate.amend(theirs, ['w'], false))?.grants, { autoApprove: ['r'], others: [] });
  });

  test('adds each tool once and in order, and takes only the named ones away', async () => {
    const own = new GateCase();
    const tools = async (names: readonly string[], isOn: boolean) =>
      (await own.gate.amend(user, names, isOn))?.grants.autoApprove.join();
    assert.deepEqual(
      [await tools(['m', 'a'], true), await tools(['b', 'm'], true), await tools(['z', 'a'], false)],
      ['a,m', 'a,b,m', 'b,m'],
    );
    assert.deepEqual(own.grants, [{ autoApprove: ['b', 'm'], others: undefined }]);
  });

  test('adds to a consent of an earlier version, which knew of no feature sets', async () => {
    for (const [what, change, expected] of [
      ['a set', (own: GateCase) => own.gate.amendFeatureSets(user, ['s'], true), ['featureSets ["s"]']],
      ['events', (own: GateCase) => own.gate.amendPush(user, 's', 'infer'), ['infer ["s","notify"]']],
    ] as const) {
      const own = new GateCase();
      await own.gate.amend(user, ['r'], true);
      await change(own);
      assert.deepEqual(own.grants, [{ autoApprove: ['r'], others: expected }], what);
    }
  });

  test('gives a server of the user’s no consent that its own settings do not need', async () => {
    const own = new GateCase();
    await own.gate.amend(user, ['r'], true);
    assert.equal(await own.start(user), undefined);
    const inside = definitionOf({ command: 'x', cwd: '/project' }, undefined);
    await own.gate.amend(inside, ['r'], true);
    assert.equal(await own.start(inside), undefined);
    assert.equal(own.questions.length, 1);
  });

  test('widens what the workspace grants while it runs by one question', async () => {
    const own = new GateCase();
    const more = definitionOf({ command: 'x' }, { tools: { autoApprove: ['r'] } });
    const consent = await own.gate.widen(more, new CancellationSource().token);
    assert.deepEqual(consent?.grants, { autoApprove: ['r'], others: [] });
    assert.deepEqual(await own.gate.widen(more, new CancellationSource().token), consent);
    assert.equal(await own.gate.widen(user, new CancellationSource().token), undefined);
    assert.equal(own.questions.length, 1);
  });
});
