import assert from 'node:assert/strict';
import type { Json } from '../../../../src/core/base/json.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';

/** The definer of a server, and the merged user values. */
function definer(user: Readonly<Record<string, Json>>, workspace: Readonly<Record<string, Json>> = {}): string {
  const layers = [
    { scope: 'user', servers: { a: user } },
    { scope: 'workspace', servers: { a: workspace } },
  ] as const;
  const [entry] = decodeSettings(layers).entries;
  assert.ok(entry?.definition !== undefined, JSON.stringify(entry?.problems));
  const { definedBy, lentByUser } = entry.definition;
  return [definedBy, ...lentByUser].join(' ');
}

suite('A server is defined by the workspace', () => {
  test('where its environment file, or a program by its path, lies in the workspace', () => {
    const paths = [
      'e',
      './e',
      '../e',
      '${workspaceFolder}/e',
      '${workspaceFolder:b}/e',
      '/x/${workspaceFolder}/e',
      'C:e',
    ];
    const others = ['/e', '\\e', 'C:\\e', 'c:/e', '~/e', '${userHome}/e', '${env:X}/e'];
    const of = (make: (path: string) => Readonly<Record<string, Json>>): string =>
      [...paths, ...others].map((path) => (definer(make(path)) === 'workspace' ? 'w' : 'u')).join('');
    assert.deepEqual(
      {
        envFile: of((envFile) => ({ command: 'node', envFile })),
        'folder of a command by name': of((cwd) => ({ command: 'node', cwd })),
        'folder of a command by path': of((cwd) => ({ command: './run', cwd })),
        'folder of a command elsewhere': of((cwd) => ({ command: '/bin/run', cwd })),
        'program in no folder': of((path) => ({ command: `${path}/run` })),
        'program in a folder elsewhere': of((path) => ({ command: `${path}/run`, cwd: '/x' })),
        'program in a folder of the workspace': of((path) => ({ command: `${path}/run`, cwd: 'sub' })),
        argument: of((path) => ({ command: 'node', args: [path] })),
      },
      {
        envFile: 'wwwwwwwuuuuuuu',
        'folder of a command by name': 'uuuuuuuuuuuuuu',
        'folder of a command by path': 'wwwwwwwuuuuuuu',
        'folder of a command elsewhere': 'uuuuuuuuuuuuuu',
        'program in no folder': 'uuuwwwuuuuuuuu',
        'program in a folder elsewhere': 'uuuwwwuuuuuuuu',
        'program in a folder of the workspace': 'wwwwwwwuuuuuuu',
        argument: 'uuuuuuuuuuuuuu',
      },
    );
  });

  test('where the workspace gives any member of its connection, and the user lends it the rest', () => {
    const remote = { url: 'https://x.test', headers: { H: '1', I: '2' }, auth: { clientId: 'c' } };
    const local = { command: 'node', args: ['a'], env: { A: '1', B: '2' } };
    assert.deepEqual(
      {
        nothing: definer(local, { enabled: true }),
        command: definer(local, { command: 'deno' }),
        args: definer(local, { args: [] }),
        env: definer(local, { env: { B: '3' } }),
        cwd: definer(local, { cwd: '/x' }),
        envFile: definer(local, { envFile: '/x' }),
        url: definer(remote, { url: 'https://y.test' }),
        header: definer(remote, { headers: { I: '3' } }),
        auth: definer(remote, { auth: { clientId: 'd' } }),
        tools: definer(remote, { tools: { hidden: ['a'] } }),
      },
      {
        nothing: 'user',
        command: 'workspace A B',
        args: 'workspace A B',
        env: 'workspace A',
        cwd: 'workspace A B',
        envFile: 'workspace A B',
        url: 'workspace H I clientId',
        header: 'workspace H clientId',
        auth: 'workspace H I',
        tools: 'user',
      },
    );
  });
});
