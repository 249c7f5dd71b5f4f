import assert from 'node:assert/strict';
import { relativeArguments } from '../../../../src/editor/servers/relativeArguments.ts';

suite('Relative arguments of a server', () => {
  test('are those that name a file or folder relative to the working folder', () => {
    const relative = ['server.js', './run', '../x', '.', '..', 'dist/index.mjs', '--config=conf/a.yaml', '.\\run.cmd'];
    const others = [
      '-y',
      '--x.js',
      '@scope/pkg',
      'pkg@1.2',
      '/a/b.js',
      'C:\\a.js',
      '~/a.js',
      '${workspaceFolder}/a.js',
    ];
    const more = ['https://x.test/a.js', 'run', 'mcp/fetch', '--port=80', '', 'example.com', '--root=${userHome}/a.js'];
    assert.deepEqual(relativeArguments([...relative, ...others, ...more]), relative);
  });
});
