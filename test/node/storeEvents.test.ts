import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Grant, type InboundEvent, NO_LOG, type Storage } from '../../src/core/index.ts';
import { memoryStorage } from '../../src/node/store/memoryStorage.ts';
import { openStore } from '../../src/node/store/sqliteStore.ts';
import { auditValues } from '../../src/node/store/auditRows.ts';
import { eventValues } from '../../src/node/store/eventRows.ts';
import { eventHandlers } from '../../src/node/store/eventHandlers.ts';
import { migrate } from '../../src/node/store/migrations.ts';
import { auditRecord, declaredSets, grant, inboundEvent, scopeGrant } from '../support/storedRecords.ts';

const workerPath = new URL('../../src/node/store/storeWorker.ts', import.meta.url);

const BLOCKS: InboundEvent['content'] = [
  { type: 'text', text: 'Zeile\u2028 "zwei" 😀', audience: 'user' },
  { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
  { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
  { type: 'resource_link', uri: 'file:///b', name: 'b' },
  { type: 'unknown', value: { type: 'hologram', layers: [1, null] } },
];

const OUTCOMES: readonly InboundEvent['outcome'][] = [
  { kind: 'none' },
  { kind: 'asking', at: 1 },
  { kind: 'answered', at: 2, text: 'Seen.', model: 'small', usage: { inputTokens: 3, outputTokens: 4.5 } },
  { kind: 'failed', at: 5, message: 'No model is there.' },
];

for (const kind of ['file', 'memory'] as const)
  suite(`Events, grants and the audit in a store of the kind ${kind}`, () => {
    let folder: string;
    let store: Storage;

    setup(() => {
      folder = mkdtempSync(join(tmpdir(), 'mcpl-events-'));
      store = open();
    });

    teardown(async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    });

    function open(): Storage {
      if (kind === 'memory') return memoryStorage();
      const [file, trustFile] = [join(folder, 'mcpl.sqlite'), join(folder, 'everywhere', 'mcpl.sqlite')];
      return openStore({ file, trustFile, workerPath, log: NO_LOG });
    }

    /** Written data must also exist after the file is opened again. */
    async function again(): Promise<void> {
      if (kind === 'memory') return;
      await store.close();
      store = open();
    }

    async function admit(...events: readonly InboundEvent[]): Promise<void> {
      const answers = await Promise.all(events.map((event) => store.events.admit(event, auditRecord())));
      assert.deepEqual(
        answers,
        answers.map(() => ({ kind: 'kept' })),
      );
    }

    async function ids(): Promise<readonly string[]> {
      return (await store.events.list(100)).map((event) => event.eventId);
    }

    test('an event comes back as it was kept, whatever it holds', async () => {
      const events = OUTCOMES.map((outcome, i) =>
        inboundEvent(`event-${i}`, {
          outcome,
          content: BLOCKS,
          isRead: i % 2 === 1,
          origin: i === 0 ? undefined : { nested: { list: [true, null] } },
          inferenceId: i === 0 ? undefined : `inference-${i}`,
        }),
      );
      await admit(...events);
      await again();
      assert.deepEqual(await store.events.list(100), events.toReversed());
      assert.deepEqual(await store.events.list(1), events.slice(-1));
      assert.deepEqual(await store.events.list(0), []);
    });

    test('a repeated event is known, with the turn that it began, and is not audited as kept', async () => {
      await admit(inboundEvent('one'), inboundEvent('one', { id: 'other', server: 'mail' }));
      await store.events.change('id-one', { inferenceId: 'inference-1', outcome: { kind: 'asking', at: 7 } });
      await store.events.change('id-one', { outcome: { kind: 'failed', at: 8, message: 'Gone.' } });
      const repeated = inboundEvent('one', { id: 'third', content: [] });
      assert.deepEqual(
        [
          await store.events.admit(repeated, auditRecord()),
          await store.events.admit({ ...repeated, server: 'mail' }, auditRecord()),
        ],
        [
          { kind: 'known', inferenceId: 'inference-1' },
          { kind: 'known', inferenceId: undefined },
        ],
      );
      const kept = inboundEvent('one', {
        inferenceId: 'inference-1',
        outcome: { kind: 'failed', at: 8, message: 'Gone.' },
      });
      assert.deepEqual((await store.events.list(100)).at(-1), kept);
      assert.equal((await store.audit.list({ limit: 10 })).length, 2);
    });

    test('events are read, removed, cleared and trimmed', async () => {
      await admit(...['a', 'b', 'c', 'd', 'e'].map((id) => inboundEvent(id)));
      await admit(inboundEvent('a', { id: 'mail-a', server: 'mail' }), inboundEvent('f'));
      await store.events.markRead(['id-b', 'id-d', 'nobody']);
      const read = (await store.events.list(100)).filter((event) => event.isRead).map((event) => event.eventId);
      assert.deepEqual(read, ['d', 'b']);
      await store.events.remove(['id-c', 'nobody']);
      await store.events.remove([]);
      assert.deepEqual(await ids(), ['f', 'a', 'e', 'd', 'b', 'a']);
      await store.events.trim(10);
      await store.events.trim(4);
      assert.deepEqual(await ids(), ['f', 'a', 'e', 'd']);
      await store.events.clear('feed');
      assert.deepEqual(await ids(), ['a']);
      await store.events.clear(undefined);
      assert.deepEqual(await ids(), []);
      await admit(inboundEvent('a'));
      await store.events.trim(0);
      await again();
      assert.deepEqual(await ids(), []);
    });

    test('grants are kept, replaced and revoked', async () => {
      await store.grants.save(grant('one'));
      await store.grants.save(grant('two', { at: 1_000_001 }));
      await store.grants.save(grant('one', { form: 'other' }));
      await again();
      assert.deepEqual(await store.grants.list(), [grant('one', { form: 'other' }), grant('two', { at: 1_000_001 })]);
      await store.grants.revoke(['one', 'nobody']);
      await store.grants.revoke([]);
      assert.deepEqual(await store.grants.list(), [grant('two', { at: 1_000_001 })]);
    });

    test('grants for every workspace have a file of their own, and come back whole', async () => {
      const common = { direction: 'toServer', server: 'feed', at: 1 } as const;
      const trusted: readonly Grant[] = [
        {
          ...common,
          id: 'a',
          kind: 'tool',
          target: 'add',
          form: 'F',
          fingerprint: 'P',
          definition: '{\n  "name": "add"\n}\n',
          last: 'L',
          changes: 2,
          isAny: true,
          declined: 'D',
        },
        { ...common, id: 'b', kind: 'stateOwner', target: 'add', form: 'feed.items' },
        { ...common, id: 'c', kind: 'wildcard', target: 'feed.*', form: '' },
        {
          ...common,
          id: 'd',
          kind: 'tool',
          target: 'edit',
          form: 'F',
          fingerprint: 'P',
          definition: undefined,
          last: 'F',
          changes: 0,
          isAny: false,
          declined: undefined,
        },
      ];
      for (const each of trusted) await store.trust.save(each);
      await again();
      assert.deepEqual([await store.trust.list(), await store.grants.list()], [trusted, []]);
      assert.deepEqual(await store.trust.find('a'), trusted[0]);
    });

    test('grants are listed by their kind, and all of them however many there are', async () => {
      const scopes = Array.from({ length: 1_500 }, (_, i) => scopeGrant(`scope-${i}`, { at: i }));
      await Promise.all(scopes.map((each) => store.grants.save(each)));
      await store.grants.save(grant('set', { at: 2_000 }));
      await again();
      assert.deepEqual(await store.grants.list('scope'), scopes);
      assert.deepEqual(await store.grants.list('featureSet'), [grant('set', { at: 2_000 })]);
      assert.equal((await store.grants.list()).length, 1_501);
    });

    test('a grant of a scope comes back as it was kept, whatever it holds, beside one of a feature set', async () => {
      const kept = [
        scopeGrant('all', { at: 1, label: 'Zeile\u2028 "zwei" 😀', targets: ['/a', '#general', 'C:/b'] }),
        scopeGrant('none', { at: 2, label: undefined, featureSet: undefined, targets: [], until: undefined }),
        grant('set', { at: 3 }),
        declaredSets('declared', { at: 4 }),
      ];
      for (const each of kept) await store.grants.save(each);
      await again();
      const found = await Promise.all(kept.map(({ id }) => store.grants.find(id)));
      assert.deepEqual([await store.grants.list(), found], [kept, kept]);
      await store.grants.save(scopeGrant('all', { at: 4 }));
      await store.grants.revoke(['none']);
      await again();
      const left = await Promise.all(kept.map(({ id }) => store.grants.find(id)));
      assert.deepEqual(left, [scopeGrant('all', { at: 4 }), undefined, kept[2], kept[3]]);
    });

    test('what was used of models is summed up by server, operation and model, since a time', async () => {
      const use = { operation: 'inference/request', model: 'acme/m1' } as const;
      await store.audit.append([
        auditRecord({ ...use, at: 1, server: 'feed', tokens: 1_000 }),
        auditRecord({ ...use, at: 10, server: 'feed', tokens: 20 }),
        auditRecord({ ...use, at: 30, server: 'feed', tokens: 22 }),
        auditRecord({ ...use, at: 20, server: 'feed', tokens: 5, model: 'acme/m2' }),
        auditRecord({ ...use, at: 20, server: 'mail', tokens: 7, model: undefined }),
        auditRecord({ ...use, at: 20, server: '', operation: 'chat/turn', tokens: 0 }),
        auditRecord({ ...use, at: 20, server: 'mail', tokens: undefined }),
      ]);
      const texts = (await store.audit.totals(10)).map(({ server, operation, model, requests, tokens, at }) =>
        [server, operation, model, requests, tokens, at].join(' '),
      );
      assert.deepEqual(texts, [
        'feed inference/request acme/m1 2 42 30',
        'mail inference/request  1 7 20',
        'feed inference/request acme/m2 1 5 20',
        ' chat/turn acme/m1 1 0 20',
      ]);
    });

    test('the audit is listed by operation, of all servers or of one', async () => {
      const operations = ['scope/decision', 'tools/call', 'scope/decision', 'tools/call', 'scope/decision'];
      await store.audit.append(
        operations.map((operation, i) => auditRecord({ operation, at: i, server: i < 3 ? 'files' : 'mail' })),
      );
      await again();
      const operation = 'scope/decision';
      const times = async (query: Partial<Parameters<Storage['audit']['list']>[0]>): Promise<readonly number[]> =>
        (await store.audit.list({ limit: 10, operation, ...query })).map(({ at }) => at);
      const newest = await store.audit.list({ limit: 1, operation });
      assert.deepEqual(
        [
          await times({}),
          await times({ limit: 2 }),
          await times({ before: newest[0]?.place }),
          await times({ server: 'files' }),
          await times({ server: 'files', limit: 1 }),
          await times({ server: 'nobody' }),
          await times({ operation: 'push/event' }),
        ],
        [[4, 2, 0], [4, 2], [2, 0], [2, 0], [2], [], []],
      );
    });

    test('the audit is listed page by page, the newest first, of all servers or of one', async () => {
      const records = ['feed', 'mail', 'feed', 'mail', 'feed'].map((server, i) => auditRecord({ server, at: i }));
      await store.audit.append(records.slice(0, 2));
      await store.audit.append([]);
      await store.audit.append(records.slice(2));
      await again();
      const page = await store.audit.list({ limit: 2 });
      const times = async (query: Parameters<Storage['audit']['list']>[0]): Promise<readonly number[]> =>
        (await store.audit.list(query)).map(({ at }) => at);
      const { place, ...last } = page[0] ?? { place: -1 };
      assert.deepEqual(last, records[4]);
      assert.deepEqual(
        [
          place,
          page.map(({ at }) => at),
          await times({ limit: 2, before: page[1]?.place }),
          await times({ limit: 10, server: 'mail' }),
          await times({ limit: 10, server: 'feed', before: place }),
        ],
        [5, [4, 3], [2, 1], [3, 1], [2, 0]],
      );
    });

    test('reports a server’s use of models, and forgets old uses', async () => {
      await store.audit.append([
        auditRecord({ at: 10, tokens: 100, operation: 'inference/request' }),
        auditRecord({ at: 20 }),
        auditRecord({ at: 30, tokens: 0 }),
        auditRecord({ at: 30, tokens: 5, server: 'mail' }),
        auditRecord({ at: 40, tokens: 300, outcome: 'cancelled', durationMs: 2 }),
      ]);
      const all = [
        { at: 10, tokens: 100 },
        { at: 30, tokens: 0 },
        { at: 40, tokens: 300 },
      ];
      assert.deepEqual(await store.audit.used('feed', 0), all);
      assert.deepEqual(await store.audit.used('feed', 30), all.slice(1));
      await store.audit.trim(30);
      const left = await store.audit.list({ limit: 10 });
      assert.deepEqual(
        left.map(({ at }) => at),
        [40, 30, 30],
      );
      await store.audit.trim(50);
      await store.audit.append([auditRecord()]);
      const next = await store.audit.list({ limit: 1 });
      assert.equal(next[0]?.place, 6, 'a place is never given twice');
    });

    test('a record that is too long is cut, whichever way it comes', async () => {
      const long = auditRecord({ detail: 'x'.repeat(5_000) });
      await store.audit.append([long]);
      await store.events.admit(inboundEvent('one'), long);
      const kept = await store.audit.list({ limit: 10 });
      assert.deepEqual(
        kept.map(({ detail }) => detail?.length),
        [2_000, 2_000],
      );
    });

    test('a consent keeps what else it was given for, and one of an earlier version says nothing of it', async () => {
      const others = { autoApprove: [], others: ['featureSet feed.*', 'infer'] };
      await store.consents.save({ server: 'feed', fingerprint: 'a', grants: others, at: 1 });
      await store.consents.save({ server: 'feed', fingerprint: 'b', grants: { autoApprove: ['x'] }, at: 2 });
      await again();
      assert.deepEqual(
        (await store.consents.list()).map(({ grants }) => grants),
        [others, { autoApprove: ['x'] }],
      );
    });
  });

suite('Large events', () => {
  test('go before the disk is full, the oldest first', () => {
    const database = new DatabaseSync(':memory:');
    migrate(database);
    const handlers = eventHandlers(database, 10_000);
    const ids = (): unknown => database.prepare('SELECT group_concat(event_id) AS ids FROM events').get()?.['ids'];
    for (let i = 0; i < 6; i++) {
      const event = inboundEvent(`e${i}`, { content: [{ type: 'text', text: 'é'.repeat(1_200) }] });
      handlers['events.admit'].run([...eventValues(event), ...auditValues(auditRecord())]);
    }
    handlers['events.trim'].run({ keep: 100 });
    assert.equal(ids(), 'e2,e3,e4,e5');
    handlers['events.trim'].run({ keep: 3 });
    assert.equal(ids(), 'e3,e4,e5');
    database.close();
  });

  test('do not fill the memory of a store that has no file', async () => {
    const { events } = memoryStorage();
    const text = 'x'.repeat(4_000_000);
    for (let i = 0; i < 20; i++)
      await events.admit(inboundEvent(`e${i}`, { content: [{ type: 'text', text }] }), auditRecord());
    await events.trim(1_000);
    const kept = (await events.list(100)).map(({ eventId }) => eventId);
    assert.deepEqual([kept.length, kept[0]], [16, 'e19']);
  });
});
