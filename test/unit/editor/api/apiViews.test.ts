import assert from 'node:assert/strict';
import { serverInfo } from '../../../../src/editor/api/apiViews.ts';
import { running, snapshot, tool } from '../../../support/serverSnapshots.ts';

suite('A server as other extensions read it', () => {
  test('shows no secret in titles, descriptions and schemas of its tools', () => {
    const leaking = tool('send', {
      title: 'Send with s3cret-key',
      description: 'Sends with s3cret-key.',
      inputSchema: { type: 'object', properties: { to: { type: 'string', default: 's3cret-key' } } },
    });
    const server = snapshot('mail', running(), { tools: [leaking, tool('plain')] });
    const info = serverInfo(server, (text) => text.replaceAll('s3cret-key', '[secret: KEY]'));
    assert.deepEqual(info.tools[0], {
      name: 'send',
      title: 'Send with [secret: KEY]',
      description: 'Sends with [secret: KEY].',
      inputSchema: { type: 'object', properties: { to: { type: 'string', default: '[secret: KEY]' } } },
      isOffered: true,
    });
    assert.equal(JSON.stringify(info).includes('s3cret'), false);
    assert.equal(leaking.tool.description, 'Sends with s3cret-key.');
  });
});
