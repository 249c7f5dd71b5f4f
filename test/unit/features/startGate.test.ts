import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { Deferred } from '../../../src/core/base/async.ts';
import { CancellationSource } from '../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../src/core/base/errors.ts';
import { StartGate } from '../../../src/core/features/startGate.ts';
import type { LineageSummary } from '../../../src/core/model/lineage.ts';
import type { ServerDefinition } from '../../../src/core/model/server.ts';
import type { Consent, StartAnswer, StartQuestion } from '../../../src/core/ports.ts';
import { decodeSettings } from '../../../src/core/session/serverSettings.ts';
import { FakeClock, settle } from '../../support/fakeClock.ts';
import { fakeFiles } from '../../support/fakeFiles.ts';

class Gate {
  readonly consents = new Map<string, Consent>();
  readonly questions: StartQuestion[] = [];
  lineages: readonly LineageSummary[] = [];
  answer: StartAnswer | Promise<StartAnswer> = 'start';
  readonly #gate = new StartGate({
    clock: new FakeClock(),
    ids: {
      uuid: () => 'id',
      random: () => 0.5,
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
    },
    consents: {
      find: (server, fingerprint) => Promise.resolve(this.consents.get(`${server} ${fingerprint}`)),
      save: (consent) => {
        this.consents.set(`${consent.server} ${consent.fingerprint}`, consent);
        return Promise.resolve();
      },
      list: () => Promise.resolve([...this.consents.values()]),
      forget: () => Promise.resolve(this.consents.clear()),
    },
    states: { lineages: () => Promise.resolve(this.lineages) },
    prompt: {
      ask: (question) => {
        this.questions.push(question);
        return Promise.resolve(this.answer);
      },
    },
    variables: {
      folders: [{ name: 'project', path: '/project' }],
      userHome: '/home/me',
      env: () => undefined,
      input: () => Promise.resolve({ kind: 'undeclared' }),
      readFile: () => Promise.reject(new Error('no such file')),
    },
    fileNames: fakeFiles({}),
  });

  get grants(): readonly Consent['grants'][] {
    return [...this.consents.values()].map((consent) => consent.grants);
  }

  get reasons(): string {
    return this.questions.map(({ reason, remarks }) => `${reason}: ${remarks.join(' ')}`).join('\n');
  }

  async start(definition: ServerDefinition): Promise<Consent | undefined> {
    const { consent } = await this.#gate.admit(definition, new CancellationSource().token, () => undefined);
    return consent;
  }

  readonly allow = (definition: ServerDefinition) => this.#gate.allow(definition);
  readonly amend = (definition: ServerDefinition, tools: string[], on: boolean) =>
    this.#gate.amend(definition, tools, on);
  readonly amendSets = (definition: ServerDefinition, names: string[], on: boolean) =>
    this.#gate.amendFeatureSets(definition, names, on);
  readonly amendPush = (definition: ServerDefinition, name: string, policy: 'infer' | 'inbox') =>
    this.#gate.amendPush(definition, name, policy);
}

const NO_HEADS = { head: undefined, others: [], blocked: undefined } as const;

function definitionOf(own: object | undefined, workspace: object): ServerDefinition {
  const json = (value: object) => JSON.parse(JSON.stringify({ a: value })) as { readonly [id: string]: string };
  const layers = [
    { scope: 'user', servers: own && json(own) },
    { scope: 'workspace', servers: json(workspace) },
  ] as const;
  const definition = decodeSettings(layers).entries[0]?.definition;
  assert.ok(definition !== undefined);
  return definition;
}

const on = (...enabled: string[]) => ({ featureSets: { enabled } });
const notApproved = (error: unknown): boolean => isHostError(error, 'NOT_APPROVED');

suite('The gate before a start, and feature sets', () => {
  const mine = { command: 'x' };

  test('asks for what the workspace switches on of the user’s own server, and says what', async () => {
    const gate = new Gate();
    gate.answer = 'dontStart';
    const definition = definitionOf(mine, on('memory.*'));
    await assert.rejects(gate.start(definition), notApproved);
    gate.answer = 'start';
    await gate.start(definition);
    await gate.start(definition);
    const remark = 'Its feature sets are on, which may let it read your chats and add to them: "memory.*".';
    assert.equal(gate.reasons, `first: ${remark}\nfirst: ${remark}`);
    assert.deepEqual(gate.grants, [{ autoApprove: [], others: ['featureSets ["memory.*"]'] }]);
    await gate.start(definitionOf(mine, on('memory.recall')));
    await gate.start(definitionOf(mine, {}));
    assert.equal(gate.questions.length, 2, 'narrower needs no question');
    await gate.start(definitionOf(mine, on('memory.*', 'chat')));
    assert.equal(gate.questions.at(-1)?.reason, 'widened');
  });

  test('says of a server in a new form that it goes on with what was kept under its name', async () => {
    const gate = new Gate();
    gate.lineages = [
      { id: 1, server: 'a', featureSet: 'notes.book', keeper: 'host', count: 12, size: 9, changedAt: 0, ...NO_HEADS },
    ];
    const workspace = (command: string): ServerDefinition => definitionOf(undefined, { command, enabled: true });
    await gate.start(workspace('one'));
    await gate.start(workspace('two'));
    const remark = 'It goes on with the state that was kept for "a": 12 checkpoints of "notes.book".';
    assert.equal(gate.reasons, `first: ${remark}\nchanged: ${remark}`);
  });

  test('asks for nothing that the user’s own settings say', async () => {
    const gate = new Gate();
    await gate.start(definitionOf({ ...mine, ...on('*') }, { featureSets: { disabled: ['x'] } }));
    assert.deepEqual([gate.questions.length, gate.consents.size], [0, 0]);
  });

  test('asks for nothing that a person chose in one of our own views', async () => {
    const gate = new Gate();
    await gate.amendSets(definitionOf(mine, {}), ['memory.recall'], true);
    const consent = await gate.start(definitionOf(mine, on('memory.recall')));
    assert.deepEqual(consent?.grants, { autoApprove: [], others: ['featureSets ["memory.recall"]'] });
    await gate.amendPush(definitionOf(mine, on('memory.recall')), 'memory.recall', 'infer');
    await gate.start(definitionOf(mine, { ...on('memory.recall'), push: { 'memory.recall': 'infer' } }));
    assert.equal(gate.questions.length, 0);
    await gate.amendSets(definitionOf(mine, on('memory.recall')), ['memory.recall'], false);
    await gate.amendPush(definitionOf(mine, {}), 'memory.recall', 'inbox');
    assert.deepEqual(gate.grants, [{ autoApprove: [], others: [] }]);
    await gate.start(definitionOf(mine, on('memory.recall')));
    assert.equal(gate.questions.length, 1);
  });

  test('takes over what a person chose while another question still waits', async () => {
    const gate = new Gate();
    const answer = new Deferred<StartAnswer>();
    gate.answer = answer.promise;
    const started = gate.start(definitionOf(mine, on('memory.recall')));
    await settle();
    await gate.amendSets(definitionOf(mine, on('memory.recall')), ['memory.store'], true);
    assert.deepEqual(gate.grants, [{ autoApprove: [], others: ['featureSets ["memory.store"]'] }]);
    answer.resolve('start');
    await started;
  });

  test('takes no choice of feature sets for the consent to start what the workspace defines', async () => {
    const gate = new Gate();
    gate.answer = 'dismissed';
    const theirs = definitionOf(undefined, mine);
    assert.equal(await gate.amendSets(theirs, ['memory.recall'], true), undefined);
    assert.equal(await gate.amendPush(theirs, 'memory.recall', 'infer'), undefined);
    await assert.rejects(gate.start(definitionOf(undefined, { ...mine, ...on('memory.recall') })), notApproved);
  });

  test('keeps what was granted of one kind when another is changed', async () => {
    const gate = new Gate();
    const theirs = { ...mine, ...on('memory.*'), tools: { autoApprove: ['r'] } };
    const definition = definitionOf(undefined, theirs);
    await gate.allow(definition);
    await gate.amend(definition, ['w'], true);
    await gate.amendSets(definition, ['chat'], true);
    assert.deepEqual(gate.grants, [
      { autoApprove: ['r', 'w'], others: ['featureSets ["chat"]', 'featureSets ["memory.*"]'] },
    ]);
    await gate.start(definition);
    assert.equal(gate.questions.length, 0);
  });

  test('reads a consent of an earlier version, which knew of no feature sets', async () => {
    const gate = new Gate();
    const before = definitionOf(undefined, { ...mine, tools: { autoApprove: ['r'] } });
    const { grants, ...rest } = await gate.allow(before);
    gate.consents.set(`a ${rest.fingerprint}`, { ...rest, grants: { autoApprove: grants.autoApprove } });
    await gate.start(before);
    assert.equal(gate.questions.length, 0);
    await gate.start(definitionOf(undefined, { ...mine, tools: { autoApprove: ['r'] }, ...on('chat') }));
    assert.equal(gate.questions.at(-1)?.reason, 'widened');
  });
});
