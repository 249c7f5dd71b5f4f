import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { Emitter } from '../../../../src/core/base/event.ts';
import { fileUri, Roots, type RootsOptions } from '../../../../src/core/inputs/workspaceRoots.ts';
import { settle } from '../../../support/fakeClock.ts';
import { connect, handshakeOf } from '../session/connection.ts';
import { ScriptedServer } from '../../../support/scriptedServer.ts';

class Window {
  folders = [
    { name: 'one', path: '/work/a b' },
    { name: 'two', path: '/work/two' },
  ];
  trusted = true;
  readonly changed = new Emitter<void>();

  get options(): RootsOptions {
    return {
      folders: () => this.folders,
      onDidChangeFolders: this.changed.event,
      isTrusted: () => this.trusted,
    };
  }

  change(...names: readonly string[]): void {
    this.folders = names.map((name) => ({ name, path: `/work/${name}` }));
    this.changed.fire();
  }
}

async function ask(server: ScriptedServer): Promise<string> {
  server.say({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
  await settle();
  return server.heard.at(-1) ?? '';
}

const TWO = '{"roots":[{"uri":"file:///work/a%20b","name":"one"},{"uri":"file:///work/two","name":"two"}]}';

suite('Roots', () => {
  test('are declared, and are the folders of the window with their names', async () => {
    const c = await connect([new Roots(new Window().options)]);
    assert.match(c.server.heard[0] ?? '', /"capabilities":\{"roots":\{"listChanged":true\}\}/);
    assert.equal(await ask(c.server), `answer ${TWO}`);
    c.dispose();
  });

  test('can be asked for before the handshake is over', async () => {
    const server: ScriptedServer = new ScriptedServer({
      initialize: async () => {
        assert.equal(await ask(server), `answer ${TWO}`);
        return handshakeOf({});
      },
    });
    const c = await connect([new Roots(new Window().options)], { server });
    c.dispose();
  });

  test('of changed folders are announced, but not if they stay the same or the connection has ended', async () => {
    const window = new Window();
    const c = await connect([new Roots(window.options)]);
    const before = c.server.heard.length;
    window.changed.fire();
    window.change('two', 'three');
    window.change();
    await settle();
    assert.deepEqual(c.server.heard.slice(before), [
      'notifications/roots/list_changed {}',
      'notifications/roots/list_changed {}',
    ]);
    assert.equal(await ask(c.server), 'answer {"roots":[]}');
    const between = c.server.heard.length;
    window.folders = new Window().folders;
    window.changed.fire();
    await settle();
    assert.deepEqual(c.server.heard.slice(between), ['notifications/roots/list_changed {}']);
    c.dispose();
    window.change('four');
    await settle();
    assert.equal(window.changed.hasListeners, false);
  });

  test('are neither declared nor announced without an open folder, or in an untrusted workspace', async () => {
    for (const [trusted, folders] of [
      [true, []],
      [false, [{ name: 'one', path: '/one' }]],
      [true, [{ name: 'odd', path: 'relative' }]],
    ] as const) {
      const window = new Window();
      window.trusted = trusted;
      window.folders = [...folders];
      const c = await connect([new Roots(window.options)]);
      assert.match(c.server.heard[0] ?? '', /"capabilities":\{\}/);
      assert.equal(await ask(c.server), 'answer {"code":-32601,"message":"Method not found: roots/list"}');
      const before = c.server.heard.length;
      window.change('two');
      await settle();
      assert.deepEqual(c.server.heard.slice(before), []);
      c.dispose();
    }
  });

  test('of a stateless server, which asks each time, and of the dialect, which never does, are not announced', async () => {
    for (const handshake of [{ era: 'modern', protocolVersion: '2026-07-28' }, { isDialect: true }] as const) {
      const window = new Window();
      const c = await connect([new Roots(window.options)], { handshake });
      const before = c.server.heard.length;
      window.change('two');
      await settle();
      assert.deepEqual(c.server.heard.slice(before), []);
      c.dispose();
    }
  });
});

suite('A path as file: URI', () => {
  test('is written as each system’s servers read it', () => {
    const paths = [
      '/',
      '/a b/ü%23#?x&y+z',
      '/back\\slash',
      '/c:/odd',
      '/trailing/',
      'C:\\',
      'c:',
      'C:\\Users\\me\\a b',
      'd:/mixed\\x',
      '\\\\server\\share\\a b',
      '\\\\?\\C:\\long',
      '\\\\?\\UNC\\server\\share',
      '\\\\.\\pipe\\x',
      '\\\\',
      'relative/x',
      'C:relative',
      '',
      '/half\uD800',
    ];
    assert.deepEqual(
      paths.map((path) => fileUri(path) ?? '-'),
      [
        'file:///',
        'file:///a%20b/%C3%BC%2523%23%3Fx%26y%2Bz',
        'file:///back%5Cslash',
        'file:///c%3A/odd',
        'file:///trailing/',
        'file:///C:/',
        'file:///c:/',
        'file:///C:/Users/me/a%20b',
        'file:///d:/mixed/x',
        'file://server/share/a%20b',
        'file:///C:/long',
        'file://server/share',
        'file://./pipe/x',
        '-',
        '-',
        '-',
        '-',
        'file:///half%EF%BF%BD',
      ],
    );
  });

  test('comes back as the same path', () => {
    const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !/[/\0]|^\.{1,2}$/.test(text));
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const path = `/${segments.join('/')}`;
        assert.equal(fileURLToPath(fileUri(path) ?? '', { windows: false }), path);
      }),
    );
    const name = segment.filter((text) => !text.includes('\\'));
    fc.assert(
      fc.property(fc.array(name), (segments) => {
        const path = `C:\\${segments.join('\\')}`;
        assert.equal(fileURLToPath(fileUri(path) ?? '', { windows: true }), path);
      }),
    );
  });
});
