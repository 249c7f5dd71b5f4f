import assert from 'node:assert/strict';
import type { ContributedServer, ServerProvider } from '../../../../media/mcp-live.d.ts';
import { Deferred, Emitter } from '../../../../src/core/index.ts';
import { ContributedLayers } from '../../../../src/editor/settings/contributedLayers.ts';
import { ServerContribution } from '../../../../src/editor/api/serverContribution.ts';
import { FakeClock, settle } from '../../../support/fakeClock.ts';

const ACME = { id: 'acme.tools', name: 'Acme' };

/** One provider, and its published layers. */
class Case {
  readonly clock = new FakeClock();
  readonly layers = new ContributedLayers();
  readonly logs: string[] = [];
  readonly changed = new Emitter<void>();
  asked = 0;
  published = 0;
  answer: () => unknown = () => [];
  contribution: ServerContribution | undefined;

  constructor() {
    this.layers.onDidChange(() => this.published++);
  }

  begin(rest: Partial<ServerProvider> = {}): void {
    const provideServers: ServerProvider['provideServers'] = () => {
      this.asked++;
      return this.answer() as readonly ContributedServer[];
    };
    const provider = { extensionId: ACME.id, provideServers, onDidChangeServers: this.changed.event, ...rest };
    const log = { log: (_level: string, text: string) => void this.logs.push(text) };
    this.contribution = new ServerContribution(provider, ACME, { clock: this.clock, log, layers: this.layers });
  }

  show(): readonly string[] {
    return this.layers.all.flatMap(({ servers, contributed }) => [
      ...Object.keys(Object(servers) as object),
      ...(contributed?.problems ?? []),
    ]);
  }

  end(): void {
    this.contribution?.dispose();
    this.changed.dispose();
    this.layers.dispose();
  }
}

suite('A provider of servers', () => {
  let t = new Case();
  setup(() => {
    t = new Case();
  });
  teardown(() => t.end());
  const db = [{ id: 'db', definition: { command: 'x' } }];

  test('is asked at once, and after changes, of which a burst is one', async () => {
    t.answer = () => db;
    t.begin();
    await settle();
    assert.deepEqual([t.show(), t.asked, t.published], [['db'], 1, 1]);
    for (let n = 0; n < 1_000; n++) t.changed.fire();
    await t.clock.advance(100);
    await settle();
    assert.deepEqual([t.asked, t.published], [2, 1]);
    t.answer = () => [];
    t.changed.fire();
    await t.clock.advance(100);
    await settle();
    assert.deepEqual([t.show(), t.published], [[], 2]);
  });

  test('is not asked while it answers, but again after it', async () => {
    const first = new Deferred<unknown>();
    t.answer = () => first.promise;
    t.begin();
    t.changed.fire();
    t.changed.fire();
    await t.clock.advance(1_000);
    assert.equal(t.asked, 1);
    t.answer = () => db;
    first.resolve([]);
    await settle();
    await t.clock.advance(100);
    await settle();
    assert.deepEqual([t.asked, t.show()], [2, ['db']]);
  });

  test('that never answers is given up after ten seconds, and its late answer is not heard', async () => {
    const late = new Deferred<unknown>();
    t.answer = () => late.promise;
    t.begin();
    await t.clock.advance(10_000);
    await settle();
    assert.deepEqual(t.show(), ['"Acme" could not tell its servers: it did not answer within 10 s.']);
    late.resolve(db);
    await settle();
    assert.deepEqual(t.show().length, 1);
    assert.deepEqual(t.logs, [
      'Servers of the extension acme.tools: "Acme" could not tell its servers: it did not answer within 10 s.',
    ]);
  });

  test('that throws, now or later, or gives garbage, says so', async () => {
    t.answer = () => {
      throw new Error('boom');
    };
    t.begin();
    await settle();
    assert.deepEqual(t.show(), ['"Acme" could not tell its servers: boom']);
    t.answer = () => 'garbage';
    t.changed.fire();
    await t.clock.advance(100);
    await settle();
    assert.deepEqual(t.show(), ['"Acme" contributes servers that are no list.']);
  });

  test('whose event fails or is invalid is still asked', async () => {
    t.answer = () => db;
    const broken: unknown = {};
    t.begin({ onDidChangeServers: broken as never });
    await settle();
    assert.deepEqual(t.show(), ['db']);
    assert.match(t.logs.join('\n'), /its "onDidChangeServers" failed/);
  });

  test('leaves when it is disposed, also in the middle of a question, and is never asked again', async () => {
    t.answer = () => db;
    t.begin();
    await settle();
    const open = new Deferred<unknown>();
    t.answer = () => open.promise;
    t.changed.fire();
    await t.clock.advance(100);
    await settle();
    t.contribution?.dispose();
    open.resolve(db);
    t.changed.fire();
    await t.clock.advance(100_000);
    await settle();
    assert.deepEqual([t.show(), t.asked], [[], 2]);
  });

  test('has a position that does not depend on speed', () => {
    const layer = (id: string) =>
      ({ scope: 'extension', servers: {}, contributed: { by: { id, name: id }, labels: {}, problems: [] } }) as const;
    for (const order of [
      ['a.a', 'b.b'],
      ['b.b', 'a.a'],
    ]) {
      const layers = new ContributedLayers();
      for (const id of order) layers.set({}, layer(id));
      assert.deepEqual(
        layers.all.map(({ contributed }) => contributed?.by.id),
        ['a.a', 'b.b'],
      );
      layers.dispose();
    }
  });
});
