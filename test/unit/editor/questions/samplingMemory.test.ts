import assert from 'node:assert/strict';
import { decisionText, SamplingMemory, type SamplingStore } from '../../../../src/editor/questions/samplingMemory.ts';

class Store implements SamplingStore {
  readonly values = new Map<string, unknown>();
  get(key: string): unknown {
    return this.values.get(key);
  }
  update(key: string, value: unknown): Promise<void> {
    // Like the editor's storage.
    if (value === undefined) this.values.delete(key);
    else this.values.set(key, JSON.parse(JSON.stringify(value)));
    return Promise.resolve();
  }
}

const FILES = { server: 'files', fingerprint: 'program-1' };

suite('Decisions about a server that uses models', () => {
  let store: Store;
  let memory: SamplingMemory;
  setup(() => {
    store = new Store();
    memory = new SamplingMemory(store);
  });
  const texts = (kept = memory): readonly string[] =>
    kept.list().map((decision) => `${decision.server}: ${decisionText(decision)}`);

  test('once holds for nothing that comes later', async () => {
    await memory.remember(FILES, { stage: 'request', verdict: 'allow', lifetime: 'once', at: 1 });
    assert.deepEqual([memory.verdict(FILES, 'request'), texts(), store.values.size], [undefined, [], 0]);
  });

  test('for a session ends with it, for the workspace stays, and each stage is its own', async () => {
    await memory.remember(FILES, { stage: 'request', verdict: 'allow', lifetime: 'session', at: 1 });
    await memory.remember(FILES, { stage: 'answer', verdict: 'allow', lifetime: 'workspace', at: 2 });
    assert.deepEqual([memory.verdict(FILES, 'request'), memory.verdict(FILES, 'answer')], ['allow', 'allow']);
    assert.deepEqual(texts(), [
      'files: It gets answers of models without a review · always',
      'files: Its prompts go to a model without a question · this session',
    ]);
    const next = new SamplingMemory(store);
    assert.deepEqual([next.verdict(FILES, 'request'), next.verdict(FILES, 'answer')], [undefined, 'allow']);
  });

  test('does not hold for another program of the same name, another server, or one that is not known', async () => {
    await memory.remember(FILES, { stage: 'request', verdict: 'allow', lifetime: 'workspace', at: 1 });
    const askers = [{ ...FILES, fingerprint: 'program-2' }, { ...FILES, server: 'notes' }, { server: 'files' }];
    assert.deepEqual(
      askers.map((asker) => memory.verdict(asker, 'request')),
      [undefined, undefined, undefined],
    );
    await memory.remember({ server: 'files' }, { stage: 'request', verdict: 'allow', lifetime: 'workspace', at: 2 });
    assert.equal(memory.list().length, 1);
  });

  test('is replaced by what is decided later, and is asked about again once it is forgotten', async () => {
    await memory.remember(FILES, { stage: 'request', verdict: 'refuse', lifetime: 'workspace', at: 1 });
    await memory.remember(FILES, { stage: 'request', verdict: 'allow', lifetime: 'session', at: 2 });
    assert.equal(memory.verdict(FILES, 'request'), 'allow');
    await memory.remember(FILES, { stage: 'request', verdict: 'allow', lifetime: 'workspace', at: 3 });
    assert.deepEqual(texts(), ['files: Its prompts go to a model without a question · always']);
    await memory.remember(FILES, { stage: 'answer', verdict: 'allow', lifetime: 'session', at: 4 });
    await memory.forget(memory.list());
    assert.deepEqual([texts(), memory.verdict(FILES, 'request'), store.values.size], [[], undefined, 0]);
  });

  test('is believed only where every word of it is understood', () => {
    const good = { ...FILES, stage: 'request', verdict: 'allow', at: 1 };
    const wrong = [null, 'allow', { ...good, stage: 'all' }, { ...good, verdict: 'yes' }, { ...good, fingerprint: 5 }];
    store.values.set('mcpl.sampling', [...wrong, { ...good, lifetime: 'for ever', at: 9 }]);
    assert.deepEqual(memory.list(), [{ ...good, lifetime: 'workspace', at: 9 }]);
    store.values.set('mcpl.sampling', { 0: good });
    assert.deepEqual(memory.list(), []);
  });
});
