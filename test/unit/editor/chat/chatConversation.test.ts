import assert from 'node:assert/strict';
import { sessionOf } from '../../../../src/editor/chat/chatConversation.ts';

const ID = 'f46cdbe2-0000-4000-8000-000000000001';
const resource = (scheme: string, authority: string, path: string): object => ({
  scheme,
  authority,
  path,
  toString: () => `${scheme}://${authority}${path}`,
});
const local = (id: string): object =>
  resource('vscode-chat-session', 'local', `/${Buffer.from(id).toString('base64url')}`);

suite('The conversation of a chat', () => {
  test('has the id that the editor gives it elsewhere', () => {
    assert.equal(sessionOf({ sessionResource: local(ID) }), ID);
    assert.equal(sessionOf({ sessionResource: resource('remote-agent', 'x', '/7') }), 'remote-agent://x/7');
  });

  test('has none where the token says nothing that can be read', () => {
    const tokens = [
      undefined,
      null,
      'x',
      {},
      { sessionResource: 'x' },
      { sessionResource: {} },
      { sessionResource: local('') },
    ];
    for (const token of [...tokens, { sessionResource: local('a b\n') }, { sessionResource: local('x'.repeat(600)) }])
      assert.equal(sessionOf(token), undefined, JSON.stringify(token));
  });
});
