import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { childEnvironment } from '../../src/node/process/childEnvironment.ts';

const HOST = { HOME: '/home/me', PATH: '/usr/bin' };

suite('The environment of a server', () => {
  test('is that of the host with that of the settings over it, and folders of PATH behind those of the host', () => {
    assert.deepEqual(childEnvironment(HOST, { HOME: '/else', KEY: '1', PATH: '/opt/x' }, false), {
      HOME: '/else',
      KEY: '1',
      PATH: `/usr/bin${delimiter}/opt/x`,
    });
  });

  test('keeps a written PATH that names the folders of the host, or if the host has none', () => {
    const path = (base: Record<string, string>, own: string): unknown =>
      childEnvironment(base, { PATH: own }, false)['PATH'];
    assert.deepEqual(
      [path(HOST, '/opt/x:/usr/bin'), path(HOST, ''), path({}, '/opt/x'), path({ PATH: '' }, '/opt/x')],
      ['/opt/x:/usr/bin', '/usr/bin', '/opt/x', '/opt/x'],
    );
  });

  test('has one variable for two spellings of a name where the system knows no difference', () => {
    assert.deepEqual(childEnvironment({ Path: 'C:\\a', Key: '1' }, { PATH: 'D:\\b', KEY: '2' }, true), {
      Path: `C:\\a${delimiter}D:\\b`,
      Key: '2',
    });
    assert.deepEqual(childEnvironment({ Path: '/a' }, { PATH: '/b' }, false), { Path: '/a', PATH: '/b' });
  });
});
