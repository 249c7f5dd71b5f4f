import assert from 'node:assert/strict';
import type { ServerIdentity } from '../../../../src/core/model/serverPolicy.ts';
import {
  editorPolicy,
  type EditorPolicyValues,
  refusedBy,
  matchesServerUrl,
} from '../../../../src/core/consent/editorPolicy.ts';

const NOTHING: EditorPolicyValues = { access: ['all'], enabled: [undefined], allowed: null, denied: [null] };
const stdio: ServerIdentity = { name: 'files', command: ['npx', '-y', 'files'] };
const remote: ServerIdentity = { name: 'mail', url: 'https://mail.example.com/mcp' };
const NOT_LISTED = '"chat.mcp.allowedServers" does not list it';

const rule = (values: Partial<EditorPolicyValues>, server: ServerIdentity): string =>
  refusedBy(editorPolicy({ ...NOTHING, ...values }), server) ?? 'allowed';

suite('The editor’s policy for MCP servers', () => {
  test('the table of all rules', () => {
    const name = (serverName: string): unknown => ({ serverName });
    const url = (serverUrl: string): unknown => ({ serverUrl });
    const command = (...serverCommand: string[]): unknown => ({ serverCommand });
    const NONE = '"chat.mcp.access" is "none"';
    const rows: readonly (readonly [Partial<EditorPolicyValues>, ServerIdentity, string])[] = [
      [{}, stdio, 'allowed'],
      [{}, remote, 'allowed'],
      [{ access: ['none'] }, stdio, NONE],
      // A workspace cannot allow what the user or a policy denies.
      [{ access: ['all', 'none'] }, stdio, NONE],
      [{ access: ['registry', 'none'] }, stdio, NONE],
      [
        { access: ['registry'] },
        stdio,
        '"chat.mcp.access" is "registry", and servers of MCP Live come from no registry',
      ],
      [{ access: [undefined], enabled: [false] }, stdio, NONE],
      [{ access: ['all'], enabled: [true, false] }, stdio, NONE],
      [{ access: ['all'], enabled: [true] }, stdio, 'allowed'],
      [{ access: [7] }, stdio, 'allowed'],
      [{ allowed: [] }, stdio, NOT_LISTED],
      [{ allowed: [name('files')] }, stdio, 'allowed'],
      [{ allowed: [name('Files')] }, stdio, NOT_LISTED],
      [{ allowed: [name('files')] }, remote, NOT_LISTED],
      [{ allowed: [command('npx', '-y', 'files')] }, stdio, 'allowed'],
      [{ allowed: [command('npx', '-y')] }, stdio, NOT_LISTED],
      [{ allowed: [command('npx', 'files', '-y')] }, stdio, NOT_LISTED],
      [{ allowed: [command('npx', '-y', 'files', 'more')] }, stdio, NOT_LISTED],
      [{ allowed: [url('https://*.example.com/*')] }, remote, 'allowed'],
      [{ allowed: [url('https://*.example.com/*')] }, stdio, NOT_LISTED],
      [{ denied: [[name('files')]] }, stdio, '"chat.mcp.deniedServers" lists the name "files"'],
      [
        { denied: [[command('npx', '-y', 'files')]] },
        stdio,
        '"chat.mcp.deniedServers" lists the command "npx -y files"',
      ],
      [{ denied: [[url('*://mail.*/*')]] }, remote, '"chat.mcp.deniedServers" lists the URL "*://mail.*/*"'],
      // Deny rules come first.
      [
        { allowed: [name('files')], denied: [[name('files')]] },
        stdio,
        '"chat.mcp.deniedServers" lists the name "files"',
      ],
      // With managed servers only, the lists of all layers deny.
      [{ denied: [null, [name('x')], [name('files')]] }, stdio, '"chat.mcp.deniedServers" lists the name "files"'],
      // Entries that do not name exactly one thing are ignored, as in the editor.
      [{ denied: [[{ serverName: 'files', serverUrl: 'x' }]] }, stdio, 'allowed'],
      [
        { denied: [[{}, null, 'files', { serverName: '' }, { serverCommand: [] }, { serverCommand: [7] }]] },
        stdio,
        'allowed',
      ],
      [{ allowed: [{}] }, stdio, NOT_LISTED],
      [{ allowed: 'files' }, stdio, 'allowed'],
    ];
    for (const [values, server, expected] of rows)
      assert.equal(rule(values, server), expected, JSON.stringify([values, server]));
  });

  test('counts only entries that name exactly one thing', () => {
    const list: readonly unknown[] = [
      undefined,
      null,
      7,
      'files',
      {},
      { serverName: '' },
      { serverName: 'a', serverUrl: 'https://a' },
      { serverName: 'a', serverCommand: ['x'] },
      { serverName: 7, serverUrl: ['https://a'], serverCommand: 'x' },
      { serverCommand: [] },
      { serverCommand: ['x', 7] },
      { serverName: '', serverUrl: 'https://a' },
      { serverName: 'b', serverUrl: '', serverCommand: [] },
      { serverCommand: ['x', 'y'] },
    ];
    const matchers = [
      { kind: 'serverUrl', url: 'https://a' },
      { kind: 'serverName', name: 'b' },
      { kind: 'serverCommand', command: ['x', 'y'] },
    ];
    assert.deepEqual(editorPolicy({ ...NOTHING, allowed: list, denied: [list, 'files', null, []] }), {
      access: 'all',
      allowed: matchers,
      denied: matchers,
    });
    assert.deepEqual(editorPolicy({ ...NOTHING, allowed: {}, denied: [{}] }), {
      access: 'all',
      allowed: undefined,
      denied: [],
    });
  });

  test('leaves open before variables are expanded what only they decide', () => {
    const open: ServerIdentity = { name: 'a', url: 'https://${input:host}/mcp' };
    const urls = [{ serverUrl: 'https://good.example/*' }];
    assert.equal(rule({ allowed: urls }, open), 'allowed');
    assert.equal(rule({ allowed: urls }, { name: 'a', url: 'https://bad.example/mcp' }), NOT_LISTED);
    assert.equal(rule({ allowed: [{ serverName: 'b' }] }, open), NOT_LISTED);
    assert.equal(rule({ allowed: [{ serverCommand: ['x'] }] }, open), NOT_LISTED);
    assert.equal(rule({ denied: [[{ serverUrl: '*://*/*' }]] }, open), 'allowed');
    assert.equal(rule({ denied: [[{ serverName: 'a' }]] }, open), '"chat.mcp.deniedServers" lists the name "a"');
    const program: ServerIdentity = { name: 'a', command: ['node', '${workspaceFolder}/x.js'] };
    assert.equal(rule({ allowed: [{ serverCommand: ['node', '/w/x.js'] }] }, program), 'allowed');
    assert.equal(rule({ allowed: urls }, program), NOT_LISTED);
  });
});

suite('A URL of the editor’s server lists', () => {
  test('matches as in the editor', () => {
    const rows: readonly (readonly [string, string, boolean])[] = [
      ['https://a.example/mcp', 'https://a.example/mcp', true],
      ['HTTPS://A.example/MCP', 'https://a.example/mcp', true],
      ['https://a.example', 'https://a.example/', true],
      ['https://a.example:443/', 'https://a.example/', true],
      ['https://a.example:444/', 'https://a.example/', false],
      ['https://a.example/', 'https://user:pass@a.example/#x', true],
      ['https://a.example/x', 'https://a.example/x/', false],
      ['https://a.example/?a=1', 'https://a.example?a=1', true],
      ['https://*.example.com/*', 'https://a.b.example.com/x/y?z', true],
      ['https://*.example.com/*', 'https://example.com/', false],
      ['https://*.example.com/*', 'https://evil.com/.example.com/', false],
      ['https://*.example.com/*', 'https://evil.com?.example.com/', false],
      ['https://*.example.com', 'https://a.example.com/', true],
      ['https://*.example.com', 'https://a.example.com/x', false],
      ['https://*.example.com:443/*', 'https://a.example.com/', true],
      ['https://a.example:*/*', 'https://a.example/', true],
      ['https://a.example:*/*', 'https://a.example:8443/x', true],
      ['http://localhost:*', 'http://localhost:3000/', true],
      ['http://*:3000/*', 'http://localhost:3000/x', true],
      ['http://[::1]:*/*', 'http://[::1]:3000/x', true],
      ['http://[::1/*', 'http://[::1]/x', false],
      ['https://me@*.example/*', 'https://a.example/', true],
      ['https://a.example\\*', 'https://a.example/x', true],
      ['https://a.example/*#x', 'https://a.example/y', true],
      ['https://*?a=*', 'https://a.example/?a=1', true],
      ['*', 'https://a.example/', false],
      ['*', 'https://a.example', false],
      ['*://a.example/*', 'https://a.example/', true],
      ['wss://a.example/x', 'wss://a.example/x', true],
      ['wss://*/x', 'wss://a.example/x', true],
      ['wss://*', 'wss://a.example/x', false],
      ['https://a.example/(.+)', 'https://a.example/b', false],
      ['https://a.example/*', 'not a url', false],
      ['not a url', 'https://a.example/', false],
      ['https://a.example/x/../y', 'https://a.example/y', true],
      ['https://\u00e4.example/', 'https://xn--4ca.example/', true],
      ['https:///*', 'https://a.example/', false],
      ['http://[*/*', 'http://[::1]/x', false],
      ['https://*@/*', 'https://a.example/', false],
      ['https://[::1]x*/*', 'http://[::1]/x', false],
      ['https://[::1]*', 'https://[::1]/', false],
      ['https://[::1]/*', 'https://[::1]/x', true],
      ['https://[::1]:443/*', 'https://[::1]/x', true],
      ['http://[::1]:443/*', 'http://[::1]:443/x', true],
      ['https://a.example/a.b*', 'https://a.example/axb', false],
      ['https://a.example/a$b*', 'https://a.example/a$b', true],
      ['https://a.example/a-b*', 'https://a.example/a-b', true],
      ['http*://a.example/', 'https://a.example/', true],
      ['*.example/*', 'https://a.example/', false],
      ['wss://u@*/x', 'wss://a.example/x', false],
      ['https://*.example/*', 'https://a@b.example/', true],
      ['https://a.example?x=*', 'https://a.example/?x=1', true],
      ['https://a.example/a\\b*', 'https://a.example/a/b', true],
      ['https://*/a#b#*', 'https://a.example/a', true],
    ];
    for (const [pattern, url, expected] of rows)
      assert.equal(matchesServerUrl(pattern, url), expected, `${pattern} ${url}`);
  });
});
