import assert from 'node:assert/strict';
import { Deferred } from '../../../../src/core/base/async.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { listedTools } from '../../../../src/core/gateway/offer.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const entry = (rest: JsonObject = {}): JsonObject => ({
  a: { command: 'x', enabled: true, tools: { autoApprove: ['add'] }, ...rest },
});

/** A host with a scripted server, and a store that outlives it. */
class TrustCase {
  readonly t: TestHost;
  tools: readonly JsonObject[] = [tool('add', { description: 'one' }), tool('other')];

  constructor(storage: Storage = memoryStorage()) {
    this.t = new TestHost(storage);
    this.t.connect = () =>
      new ScriptedServer({
        'tools/list': () => ({ tools: this.tools }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
      });
  }

  static async open(storage: Storage, description: string, servers: Json = entry()): Promise<TrustCase> {
    const c = new TrustCase(storage);
    c.describe(description);
    await c.t.user(servers);
    return c;
  }

  describe(description: string): void {
    this.tools = [tool('add', { description }), tool('other')];
  }

  async changes(description: string): Promise<void> {
    this.describe(description);
    await this.announce();
  }

  async announce(): Promise<void> {
    this.t.server.notify('notifications/tools/list_changed');
    await settle();
    await this.t.clock.advance(1_000);
    await settle();
  }

  /** The trust in the first tool. */
  get trust(): string {
    const found = this.t.host.server('a')?.tools.find(({ tool: { name } }) => name === 'add');
    if (found === undefined) return 'gone';
    const { autoApproved, change } = found;
    const words = [
      autoApproved ? 'trusted' : 'asks',
      ...(change === undefined ? [] : ['changed']),
      ...(change?.isFrequent === true ? ['often'] : []),
      ...(change?.isDeclined === true ? ['declined'] : []),
    ];
    return words.join(' ');
  }

  async answer(answer: 'approve' | 'approveAny' | 'keepAsking', form = this.form): Promise<void> {
    await this.t.host.answerDefinitions('a', [{ tool: 'add', form }], answer);
  }

  get form(): string {
    return this.t.host.server('a')?.tools[0]?.change?.form ?? '';
  }

  close(): Promise<void> {
    return this.t.host.close();
  }
}

suite('Trust in a tool that models may call without asking', () => {
  let storage: Storage;

  setup(() => {
    storage = memoryStorage();
  });

  test('begins with the first definition and ends with another one, until the user approves it', async () => {
    const c = await TrustCase.open(storage, 'one');
    assert.equal(c.trust, 'trusted');
    await c.changes('two');
    assert.equal(c.trust, 'asks changed');
    const change = c.t.host.server('a')?.tools[0]?.change;
    assert.match(change?.before ?? '', /"description": "one"/);
    assert.match(change?.now ?? '', /"description": "two"/);
    await c.answer('approve');
    assert.equal(c.trust, 'trusted');
    await c.close();
    assert.deepEqual((await storage.trust.list()).length, 1);
    assert.deepEqual(await storage.grants.list(), []);
  });

  test('ends with any other title, schema, hint or feature set', async () => {
    const changes: readonly JsonObject[] = [
      { title: 'Other' },
      { inputSchema: { type: 'object', properties: { path: { type: 'string' } } } },
      { outputSchema: { type: 'object' } },
      { annotations: { readOnlyHint: true } },
      { _meta: { 'mcpl/featureSet': 'b' } },
    ];
    for (const change of changes) {
      const c = await TrustCase.open(memoryStorage(), 'one');
      c.tools = [{ ...tool('add', { description: 'one' }), ...change }];
      await c.announce();
      assert.equal(c.trust, 'asks changed', JSON.stringify(change));
      await c.close();
    }
  });

  test('survives a restart, and so does its end', async () => {
    for (const [description, expected] of [
      ['one', 'trusted'],
      ['one', 'trusted'],
      ['two', 'asks changed'],
      ['one', 'trusted'],
      ['two', 'asks changed often'],
    ] as const) {
      const c = await TrustCase.open(storage, description);
      assert.equal(c.trust, expected);
      await c.close();
    }
  });

  test('comes back with the approved definition, and with a tool that was gone meanwhile', async () => {
    const c = await TrustCase.open(storage, 'one');
    await c.changes('two');
    const { form } = c;
    await c.changes('one');
    assert.equal(c.trust, 'trusted');
    // An answer for a replaced definition has no effect.
    await c.answer('approve', form);
    assert.equal(c.trust, 'trusted');
    c.tools = [];
    await c.announce();
    assert.equal(c.trust, 'gone');
    await c.changes('two');
    assert.equal(c.trust, 'asks changed');
    await c.close();
  });

  test('is not given to a definition that the user did not see', async () => {
    const c = await TrustCase.open(storage, 'one');
    await c.changes('two');
    const seen = c.form;
    await c.changes('three');
    await c.answer('approve', seen);
    assert.equal(c.trust, 'asks changed');
    await c.close();
  });

  test('stays suspended where the user keeps being asked, and is asked about again for the next definition', async () => {
    const first = await TrustCase.open(storage, 'one');
    await first.changes('two');
    await first.answer('keepAsking');
    assert.equal(first.trust, 'asks changed declined');
    await first.close();
    const second = await TrustCase.open(storage, 'two');
    assert.equal(second.trust, 'asks changed declined');
    await second.changes('three');
    assert.equal(second.trust, 'asks changed');
    await second.close();
  });

  test('may be given to any definition after three starts with another one each, until the tool is chosen again', async () => {
    const seen: string[] = [];
    for (const description of ['0', '1', '2', '3']) {
      const c = await TrustCase.open(storage, description);
      seen.push(c.trust);
      if (description === '1') await c.answer('approve');
      if (description === '3') await c.answer('approveAny');
      await c.close();
    }
    assert.deepEqual(seen, ['trusted', 'asks changed', 'asks changed', 'asks changed often']);
    const c = await TrustCase.open(storage, '4');
    assert.equal(c.trust, 'trusted');
    await c.changes('5');
    assert.equal(c.trust, 'trusted');
    await c.t.host.setAutoApproved('a', ['add'], true);
    await c.changes('6');
    assert.match(c.trust, /^asks changed/);
    await c.close();
    // Approving any definition does not cover another program.
    const other = await TrustCase.open(storage, '7', entry({ command: 'y' }));
    assert.match(other.trust, /^asks changed/);
    await other.close();
  });

  test('holds for another program of the same name only with the same definition', async () => {
    await (await TrustCase.open(storage, 'one')).close();
    const same = await TrustCase.open(storage, 'one', entry({ args: ['--new'] }));
    assert.equal(same.trust, 'trusted');
    await same.close();
    const other = await TrustCase.open(storage, 'evil', entry({ args: ['--newer'] }));
    assert.equal(other.trust, 'asks changed');
    await other.close();
  });

  test('starts again if the user writes the name again, and not if a workspace does', async () => {
    const c = await TrustCase.open(storage, 'one');
    await c.t.user(entry({ tools: {} }));
    await c.changes('two');
    assert.equal(c.trust, 'asks');
    await c.t.user(entry());
    await settle();
    assert.equal(c.trust, 'trusted');
    await c.changes('three');
    const ofWorkspace = { a: { tools: { autoApprove: ['add'] } } };
    await c.t.user(entry({ tools: {} }), ofWorkspace);
    await c.t.user(entry({ tools: {} }), {});
    await c.t.user(entry({ tools: {} }), ofWorkspace);
    await settle();
    assert.match(c.trust, /^asks changed/);
    await c.close();
  });

  test('is bound to the definition that the user saw in the question', async () => {
    const c = await TrustCase.open(storage, 'one', entry({ tools: {} }));
    const seen = c.t.host.server('a')?.tools[0]?.tool;
    await c.changes('two');
    await c.t.host.setAutoApproved('a', ['add'], true, seen);
    await c.t.user(entry());
    await settle();
    assert.equal(c.trust, 'asks changed');
    await c.close();
  });

  test('counts once its definition is durable, and never if it cannot be kept', async () => {
    const saving = new Deferred<void>();
    const slow = { ...storage, trust: { ...storage.trust, save: () => saving.promise } };
    const c = await TrustCase.open(slow, 'one');
    assert.equal(c.trust, 'asks');
    saving.resolve();
    await settle();
    assert.equal(c.trust, 'trusted');
    await c.close();
    const full = {
      ...storage,
      trust: { ...storage.trust, save: () => Promise.reject(new Error('The disk is full.')) },
    };
    const failing = await TrustCase.open(full, 'one');
    assert.equal(failing.trust, 'asks');
    await assert.rejects(failing.t.host.setAutoApproved('a', ['add'], true), /The disk is full/);
    assert.match(failing.t.logs.join('\n'), /The approved definition of "add" could not be kept: The disk is full\./);
    await failing.close();
  });

  test('is absent if the approved definition cannot be read', async () => {
    const list = (): Promise<never> => Promise.reject(new Error('It is damaged.'));
    const c = await TrustCase.open({ ...storage, trust: { ...storage.trust, list } }, 'one');
    assert.equal(c.trust, 'asks');
    assert.match(c.t.logs.join('\n'), /so all tools ask first: It is damaged\./);
    await c.close();
  });

  test('that another window gave is seen before the user is asked', async () => {
    const one = await TrustCase.open(storage, 'one');
    const two = await TrustCase.open(storage, 'one');
    await one.changes('two');
    await one.answer('approve');
    await two.changes('two');
    assert.deepEqual([one.trust, two.trust], ['trusted', 'trusted']);
    await one.close();
    await two.close();
  });

  test('leaves the list for clients of the gateway with its hint', async () => {
    const c = await TrustCase.open(storage, 'one');
    const hints = async (): Promise<Json | undefined> => {
      const [first] = await listedTools(c.t.host.server('a'), c.t.clock);
      return first?.['annotations'];
    };
    assert.deepEqual(await hints(), { readOnlyHint: true });
    await c.changes('two');
    assert.deepEqual(await hints(), { readOnlyHint: false });
    await c.close();
  });
});
