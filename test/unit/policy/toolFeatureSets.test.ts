import assert from 'node:assert/strict';
import type { JsonObject } from '../../../src/core/base/json.ts';
import type { FeatureSet } from '../../../src/core/model/mcpl.ts';
import { featureSetOfTool } from '../../../src/core/policy/toolFeatureSets.ts';
import { tool } from '../../support/serverSnapshots.ts';

const set = (name: string, ...uses: string[]): FeatureSet => ({
  name,
  description: name,
  uses,
  scoped: false,
  rollback: false,
  hostState: false,
  problem: undefined,
});

suite('The feature set of a tool', () => {
  const sets = [set('memory', 'tools'), set('chat', 'pushEvents')];
  const of = (raw: JsonObject, map: Readonly<Record<string, string>> = {}, among = sets): string | undefined =>
    featureSetOfTool(tool('t', { raw: { name: 't', ...raw } }).tool, among, map);

  test('is the one it names, or that of the settings, or the only one that uses tools', () => {
    assert.deepEqual(
      {
        meta: of({ _meta: { featureSet: 'chat' }, featureSet: 'memory' }, { t: 'memory' }),
        named: of({ featureSet: 'chat' }, { t: 'memory' }),
        mapped: of({}, { t: 'chat' }),
        only: of({}),
        'one of several': of({}, {}, [...sets, set('files', 'tools')]),
        'none uses tools': of({}, {}, [set('chat')]),
        'named and not declared': of({ featureSet: 'gone' }),
        'nothing declared': of({ featureSet: 'chat' }, { t: 'chat' }, []),
        'odd members': of({ _meta: 'chat', featureSet: ['chat'] }),
        'no text': of({ _meta: { featureSet: '' } }),
      },
      {
        meta: 'chat',
        named: 'chat',
        mapped: 'chat',
        only: 'memory',
        'one of several': undefined,
        'none uses tools': undefined,
        'named and not declared': 'gone',
        'nothing declared': undefined,
        'odd members': 'memory',
        'no text': 'memory',
      },
    );
  });

  test('is not found in what every object has', () => {
    const named = tool('toString', { raw: {} }).tool;
    assert.equal(featureSetOfTool(named, [set('chat')], {}), undefined);
  });
});
