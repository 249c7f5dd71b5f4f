import assert from 'node:assert/strict';
import { findInput, inputDefinitions } from '../../../../src/editor/settings/inputDefinitions.ts';

const token = { id: 'token', type: 'promptString', description: 'The token', password: true };

suite('An input', () => {
  test('is declared as in mcp.json', () => {
    assert.deepEqual(
      inputDefinitions([token, { id: 'region', type: 'pickString', options: ['eu', 'us'], default: 'us' }]),
      [
        { id: 'token', description: 'The token', secret: true, default: undefined, options: undefined },
        { id: 'region', description: undefined, secret: false, default: 'us', options: ['eu', 'us'] },
      ],
    );
  });

  test('is declared by the workspace for its own servers, and by the user for the user’s', () => {
    const layers = [
      { scope: 'user', servers: [token] },
      { scope: 'workspace', servers: [{ id: 'token', type: 'pickString', options: ['theirs'] }] },
      { scope: 'folder', servers: undefined },
    ] as const;
    const shown = (definedBy: 'user' | 'workspace', count = 3): string => {
      const found = findInput(layers.slice(0, count), 'token', definedBy);
      return `${found?.description ?? found?.options?.join()}${found?.secret === true ? ', secret' : ''}`;
    };
    assert.deepEqual(
      [shown('user'), shown('workspace'), shown('workspace', 1)],
      // A user's secret input stays secret, whatever a repository declares.
      ['The token, secret', 'theirs, secret', 'The token, secret'],
    );
    assert.equal(findInput(layers.slice(1), 'token', 'user')?.options?.[0], 'theirs');
    assert.equal(findInput(layers, 'other', 'user'), undefined);
  });

  test('offers only what can be shown whole', () => {
    const long = 'x'.repeat(201);
    const [declared] = inputDefinitions([{ id: 'a', type: 'pickString', options: [long, 'y'] }]);
    assert.deepEqual(declared?.options, ['y']);
  });

  test('that cannot be read declares nothing', () => {
    const unreadable = [
      5,
      {},
      { id: '', type: 'promptString' },
      { id: 'a', type: 'command' },
      { id: 'b', type: 'pickString' },
    ];
    assert.deepEqual(inputDefinitions(unreadable), []);
    assert.deepEqual(inputDefinitions({ token }), []);
  });
});
