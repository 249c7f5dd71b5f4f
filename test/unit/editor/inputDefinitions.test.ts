import assert from 'node:assert/strict';
import { findInput, inputDefinitions } from '../../../src/editor/inputDefinitions.ts';

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

  test('of the workspace wins over the same one of the user', () => {
    const found = findInput([[token], [{ ...token, description: 'Ours' }], undefined], 'token');
    assert.equal(found?.description, 'Ours');
    assert.equal(findInput([[token], undefined], 'token')?.description, 'The token');
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
