import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { FeatureSet, FeatureSetState, McplVersion } from '../../../../src/core/model/mcpl.ts';
import {
  featureSetOfTool,
  featureSetsOfTool,
  isForAppsOnly,
  toolsOff,
} from '../../../../src/core/mcpl/toolFeatureSets.ts';
import { mcpl, view } from '../../../support/featureSets.ts';
import { tool } from '../../../support/serverSnapshots.ts';

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
        meta: of({ _meta: { featureSet: 'chat' } }, { t: 'memory' }),
        prefixed: of({ _meta: { 'mcpl/featureSet': 'chat' } }, { t: 'memory' }),
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
        prefixed: 'chat',
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

  test('may be several: all that the tool names, or all that use tools', () => {
    const more = [...sets, set('files', 'tools')];
    const all = (raw: JsonObject, map: Readonly<Record<string, string>> = {}): readonly string[] =>
      featureSetsOfTool(tool('t', { raw: { name: 't', ...raw } }).tool, more, map);
    assert.deepEqual(all({}), ['memory', 'files']);
    assert.deepEqual(all({}, { t: 'chat' }), ['chat']);
    assert.deepEqual(all({ _meta: { featureSet: 'chat', 'mcpl/featureSet': 'files' }, featureSet: 'gone' }), [
      'chat',
      'files',
      'gone',
    ]);
  });

  test('has to be on, and all of them if there are several', () => {
    const states = ['enabled', 'disabled', 'changed', 'invalid'] as const;
    const off = (
      memory: FeatureSetState,
      files: FeatureSetState,
      map: Readonly<Record<string, string>> = {},
    ): string => {
      const views = [
        view('memory', { uses: ['tools'], state: memory }),
        view('files', { uses: ['tools'], state: files }),
        view('chat', { uses: ['pushEvents'], state: 'disabled' }),
      ];
      const found = toolsOff([tool('t').tool], mcpl(views), map).get('t');
      return found === undefined ? 'on' : `${found.setOff} of ${found.needs?.join('+') ?? 'itself'}`;
    };
    for (const memory of states)
      for (const files of states) {
        const expected =
          memory !== 'enabled' ? 'memory of memory+files' : files !== 'enabled' ? 'files of memory+files' : 'on';
        assert.equal(off(memory, files), expected);
        assert.equal(off(memory, files, { t: 'memory' }), memory === 'enabled' ? 'on' : 'memory of itself');
      }
    assert.deepEqual(toolsOff([tool('t').tool], undefined, {}).size, 0);
  });

  test('has to declare tools where the server names it, except in MCPL 0.2, which has no word for them', () => {
    const chat = view('chat', { uses: ['pushEvents'], state: 'enabled' });
    const memory = view('memory', { uses: ['tools'], state: 'enabled' });
    const part = view('part', { uses: ['tools.read'], state: 'enabled' });
    const found = (
      raw: JsonObject,
      version: McplVersion = '0.4',
      map: Readonly<Record<string, string>> = {},
    ): string => {
      const named = tool('t', { raw: { name: 't', ...raw } }).tool;
      const off = toolsOff([named], mcpl([chat, memory, part], { version }), map).get('t');
      return off === undefined ? 'on' : `off: ${JSON.stringify(off)}`;
    };
    const undeclared = 'off: {"setOff":"chat","lacksUse":true}';
    assert.deepEqual(
      {
        named: found({ _meta: { featureSet: 'chat' } }),
        prefixed: found({ _meta: { 'mcpl/featureSet': 'chat' } }),
        'at the top': found({ featureSet: 'chat' }),
        'one of two': found({ _meta: { featureSet: 'memory' }, featureSet: 'chat' }),
        'MCPL 0.3': found({ featureSet: 'chat' }, '0.3'),
        'MCPL 0.5': found({ featureSet: 'chat' }, '0.5'),
        'MCPL 0.2': found({ featureSet: 'chat' }, '0.2'),
        declared: found({ featureSet: 'memory' }),
        'declared by a part': found({ featureSet: 'part' }),
        'of the settings': found({}, '0.4', { t: 'chat' }),
        'named by nothing': found({}),
      },
      {
        named: undeclared,
        prefixed: undeclared,
        'at the top': undeclared,
        'one of two': undeclared,
        'MCPL 0.3': undeclared,
        'MCPL 0.5': undeclared,
        'MCPL 0.2': 'on',
        declared: 'on',
        'declared by a part': 'on',
        'of the settings': 'on',
        'named by nothing': 'on',
      },
    );
  });
});

suite('A tool for apps only', () => {
  test('says so by a visibility without the model', () => {
    const only = (meta: Json): boolean => isForAppsOnly(tool('t', { raw: { name: 't', _meta: meta } }).tool);
    const table: readonly (readonly [Json, boolean])[] = [
      [{}, false],
      ['odd', false],
      [{ ui: {} }, false],
      [{ ui: 'odd' }, false],
      [{ ui: { visibility: ['model'] } }, false],
      [{ ui: { visibility: ['app', 'model'] } }, false],
      [{ ui: { visibility: 'model' } }, false],
      [{ ui: { visibility: ['app'] } }, true],
      [{ ui: { visibility: [] } }, true],
      [{ ui: { visibility: 'app' } }, true],
      [{ ui: { visibility: null } }, true],
      [{ ui: { visibility: { model: true } } }, true],
      [{ 'ui/visibility': ['app'] }, true],
    ];
    assert.deepEqual(
      table.map(([meta]) => [meta, only(meta)]),
      table,
    );
  });
});
