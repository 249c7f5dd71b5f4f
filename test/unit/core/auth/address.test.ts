import assert from 'node:assert/strict';
import { canonicalResource, coversServer, httpAddress, judgeAddress } from '../../../../src/core/auth/address.ts';

const verdict = (text: string, server: string): string => {
  const judged = judgeAddress(text, new URL(server));
  return 'url' in judged ? 'ok' : judged.refusal;
};

const PUBLIC = 'https://mcp.example.com/mcp';
const LOCAL = 'http://127.0.0.1:3000/mcp';
const INTERNAL = 'https://10.1.2.3/mcp';

suite('addresses that a server leads to', () => {
  const CASES: readonly (readonly [address: string, server: string, expected: string])[] = [
    ['https://auth.example.com/x', PUBLIC, 'ok'],
    ['https://auth.example.com/x', LOCAL, 'ok'],
    ['http://auth.example.com/x', PUBLIC, 'is not encrypted'],
    ['http://auth.example.com/x', LOCAL, 'is not encrypted'],
    ['http://localhost:9/x', LOCAL, 'ok'],
    ['http://[::1]:9/x', LOCAL, 'ok'],
    ['http://localhost:9/x', PUBLIC, 'is on this machine, where the server is not'],
    ['https://localhost/x', PUBLIC, 'is on this machine, where the server is not'],
    ['https://127.1/x', PUBLIC, 'is on this machine, where the server is not'],
    ['https://2130706433/x', PUBLIC, 'is on this machine, where the server is not'],
    ['https://localhost/x', INTERNAL, 'is on this machine, where the server is not'],
    ['https://192.168.0.1/x', PUBLIC, 'is in a private network, where the server is not'],
    ['https://169.254.169.254/latest', PUBLIC, 'is in a private network, where the server is not'],
    ['https://172.20.0.1/x', PUBLIC, 'is in a private network, where the server is not'],
    ['https://172.32.0.1/x', PUBLIC, 'ok'],
    ['https://[fd00::1]/x', PUBLIC, 'is in a private network, where the server is not'],
    ['https://[::ffff:10.0.0.1]/x', PUBLIC, 'is in a private network, where the server is not'],
    ...[
      ...['0.1.2.3', '100.64.0.1', '192.0.0.8', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9'],
      ...['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255', '192.88.99.1'],
      ...['[::]', '[fe80::1]', '[febf::1]', '[fec0::1]', '[fdff::1]', '[ff02::1]', '[100::1]', '[2001:db8::1]'],
      // Teredo, ORCHID and other assignments to protocols; documentation; segment routing.
      ...['[2001::1]', '[2001:20::1]', '[3fff::1]', '[5f00::1]', '[64:ff9b:1::808:808]'],
      // IPv4 within IPv6: compatible, mapped, translated, NAT64 and 6to4.
      ...['[::10.0.0.1]', '[::ffff:192.168.0.1]', '[::ffff:127.0.0.1]', '[::ffff:0:10.0.0.1]'],
      ...[
        '[64:ff9b::10.0.0.1]',
        '[64:ff9b::169.254.169.254]',
        '[64:ff9b::7f00:1]',
        '[2002:a00:1::]',
        '[2002:7f00:1::1]',
      ],
    ].map((host) => [`https://${host}/x`, PUBLIC, 'is in a private network, where the server is not'] as const),
    ...[
      '[2606:4700::1111]',
      '[2001:200::1]',
      '[64:ff9b::8.8.8.8]',
      '[2002:808:808::1]',
      '[::ffff:8.8.8.8]',
      '8.8.8.8',
    ].map((host) => [`https://${host}/x`, PUBLIC, 'ok'] as const),
    // A translated loopback address is trusted less than this machine.
    ['http://[::ffff:127.0.0.1]/x', LOCAL, 'is not encrypted'],
    ['http://127.255.255.254/x', LOCAL, 'ok'],
    ['https://intranet/x', PUBLIC, 'is in a private network, where the server is not'],
    ['https://localhost./x', PUBLIC, 'is on this machine, where the server is not'],
    ['https://intranet./x', PUBLIC, 'is in a private network, where the server is not'],
    [' https://me:secret@auth.example.com/x', PUBLIC, 'holds a name or a password'],
    ['https://idp.corp/x', PUBLIC, 'is in a private network, where the server is not'],
    ['https://192.168.0.1/x', INTERNAL, 'ok'],
    ['https://intranet/x', LOCAL, 'ok'],
    ['javascript:alert(1)', PUBLIC, 'is no address of the web'],
    ['file:///etc/passwd', LOCAL, 'is no address of the web'],
    ['/relative', LOCAL, 'is no address of the web'],
    ['https://me:secret@auth.example.com/x', PUBLIC, 'holds a name or a password'],
    ['https:me@auth.example.com/x', PUBLIC, 'holds a name or a password'],
    ['https://auth.example.com/@me', PUBLIC, 'ok'],
  ];
  for (const [address, server, expected] of CASES)
    test(`${address} for ${server}: ${expected}`, () => assert.equal(verdict(address, server), expected));

  test('a server of WebSocket is protected as one of HTTP', () => {
    assert.equal(httpAddress('wss://mcp.example.com/ws')?.href, 'https://mcp.example.com/ws');
    assert.equal(httpAddress('ws://127.0.0.1:1/ws')?.href, 'http://127.0.0.1:1/ws');
    assert.equal(httpAddress('ftp://mcp.example.com'), undefined);
  });

  test('the canonical address has no query, no fragment, and no slash after a mere host', () => {
    const canonical = [
      'https://MCP.example.com:443/a/b?key=1#f',
      'https://mcp.example.com/',
      'https://mcp.example.com/a/',
    ];
    assert.deepEqual(
      canonical.map((text) => canonicalResource(new URL(text))),
      ['https://mcp.example.com/a/b', 'https://mcp.example.com', 'https://mcp.example.com/a/'],
    );
  });

  const COVERS: readonly (readonly [resource: string, covers: boolean])[] = [
    ['https://mcp.example.com/mcp', true],
    ['https://mcp.example.com/mcp/', true],
    ['https://mcp.example.com', true],
    ['https://mcp.example.com/', true],
    ['https://MCP.EXAMPLE.com/', true],
    ['https://mcp.example.com/mc', false],
    ['https://mcp.example.com/mcp/deeper', false],
    ['https://mcp.example.com/other', false],
    ['https://mcp.example.com:8443/mcp', false],
    ['http://mcp.example.com/mcp', false],
    ['https://evil.example.com/mcp', false],
    ['https://mcp.example.com/mcp#x', false],
    ['mcp.example.com', false],
  ];
  for (const [resource, covers] of COVERS)
    test(`${resource} ${covers ? 'covers' : 'does not cover'} the server`, () =>
      assert.equal(coversServer(resource, new URL(PUBLIC)), covers));
});
