import assert from 'node:assert/strict';
import fc from 'fast-check';
import { resourceFile, resourceOfFile } from '../../../../src/editor/offers/resourceAddress.ts';

suite('The file of a resource', () => {
  test('shows the server and a name, with an ending that says what is in it', () => {
    const content = { uri: 'note://a/words', mimeType: 'text/markdown', kind: 'text' } as const;
    assert.deepEqual(resourceFile({ server: 'My Notes!', uri: 'note://a', part: 2 }, content), {
      scheme: 'mcpl-resource',
      authority: 'my-notes-',
      path: '/words.md',
      query: '["My Notes!","note://a",2]',
    });
  });

  test('leads back to exactly that part of that resource, whatever servers and addresses are called', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(), fc.string(), (server, uri, part, name) => {
        const file = resourceFile({ server, uri, part }, { uri: name, mimeType: undefined, kind: 'blob' });
        assert.deepEqual(resourceOfFile(file), { server, uri, part });
        assert.match(file.authority, /^[a-z0-9._-]*$/);
        assert.match(file.path, /^\/[^/]+$/);
      }),
    );
  });

  test('does not exist for an address that this host did not create', () => {
    const queries = ['', 'no', '{}', '["a","b"]', '["a","b","0"]', '[1,"b",0]', '["a",null,0]', '['.repeat(100_000)];
    assert.deepEqual(
      queries.map((query) => resourceOfFile({ scheme: 'mcpl-resource', query })),
      queries.map(() => undefined),
    );
    assert.equal(resourceOfFile({ scheme: 'file', query: '["a","b",0]' }), undefined);
  });
});
