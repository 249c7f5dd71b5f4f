import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { FormGrants } from '../../../../src/core/mcpl/formGrants.ts';
import { SetStates } from '../../../../src/core/mcpl/sets.ts';
import type { FeatureSet, McplSettings } from '../../../../src/core/model/mcpl.ts';
import { DEFAULT_MCPL } from '../../../../src/core/model/mcplDefaults.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FakeClock } from '../../../support/fakeClock.ts';

const set = (name: string, uses: readonly string[] = ['tools']): FeatureSet => ({
  name,
  description: 'd',
  uses,
  scoped: false,
  rollback: false,
  hostState: false,
  problem: undefined,
});

const enabling = (...enabled: readonly string[]): McplSettings => ({
  ...DEFAULT_MCPL,
  featureSets: { enabled, disabled: [] },
});

suite('The state of a server’s set', () => {
  let settings = enabling('a');
  let reads = 0;
  const grants = new FormGrants({
    clock: new FakeClock(),
    ids: { uuid: () => '', random: () => 0, sha256: (text) => createHash('sha256').update(text).digest('hex') },
    grants: memoryStorage().grants,
    log: { log: () => undefined },
  });
  const states = new SetStates({
    server: 's',
    grants,
    settings: () => {
      reads++;
      return settings;
    },
  });

  test('is found again as soon as the settings are others', () => {
    const [a, b] = [set('a'), set('b')];
    assert.deepEqual([states.of(a), states.of(b)], ['enabled', 'disabled']);
    settings = enabling('b');
    assert.deepEqual([states.of(a), states.of(b)], ['disabled', 'enabled']);
    assert.ok(reads >= 4);
  });

  test('is computed again after the user’s choice, and for a new declaration', () => {
    settings = enabling('a');
    const first = set('a');
    grants.accept('s', [first]);
    const more = set('a', ['tools', 'inferenceRequest']);
    assert.deepEqual([states.of(first), states.of(more)], ['enabled', 'changed']);
    grants.accept('s', [more]);
    states.forget();
    assert.deepEqual([states.of(first), states.of(more)], ['changed', 'enabled']);
  });

  test('goes with what the server asks for: what it does not ask to see, it does not get', () => {
    states.begin({ userMessage: false, positions: ['afterUser'] });
    const { readUserMessage, positions } = states.settings.hooks;
    assert.deepEqual([readUserMessage, positions], [false, ['afterUser']]);
    assert.equal(states.settings, states.settings);
    states.begin(undefined);
    assert.equal(states.settings, settings);
  });
});
