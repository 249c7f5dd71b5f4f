import assert from 'node:assert/strict';
import fc from 'fast-check';
import { isSameIssuer, otherSpelling } from '../../../../src/core/auth/issuer.ts';
import type { Json } from '../../../../src/core/base/json.ts';
import {
  decodeResourceMetadata,
  isResourceMetadata,
  resourceMetadataUrls,
} from '../../../../src/core/auth/resourceMetadata.ts';
import {
  assumedMetadata,
  decodeServerMetadata,
  type MetadataDiscovery,
  serverMetadataUrls,
  signInRefusal,
} from '../../../../src/core/auth/serverMetadata.ts';
import { dose } from '../../../support/dose.ts';

const SERVER = new URL('https://mcp.example.com/mcp');
const AUTH = 'https://auth.example.com';

suite('metadata of a server', () => {
  test('is looked for where the header says, at the path, at the root', () => {
    const root = 'https://mcp.example.com/.well-known/oauth-protected-resource';
    assert.deepEqual(resourceMetadataUrls(SERVER, 'https://x.example/y'), ['https://x.example/y', `${root}/mcp`, root]);
    assert.deepEqual(resourceMetadataUrls(SERVER, root), [root, `${root}/mcp`]);
    assert.deepEqual(resourceMetadataUrls(new URL('https://mcp.example.com'), undefined), [root]);
  });

  test('another page is no metadata', () => {
    assert.deepEqual([undefined, '<html>', [], { a: 1 }, { resource: 1 }].map(isResourceMetadata), [
      false,
      false,
      false,
      false,
      true,
    ]);
  });

  const good = { resource: 'https://mcp.example.com', authorization_servers: [AUTH], scopes_supported: ['a', 1, 'b'] };
  const CASES: readonly (readonly [string, Json, unknown])[] = [
    [
      'keeps the resource letter by letter',
      good,
      { value: { resource: 'https://mcp.example.com', issuers: [AUTH], scopes: ['a', 'b'], demandsProof: false } },
    ],
    [
      'sees that tokens must be bound',
      { ...good, scopes_supported: null, dpop_bound_access_tokens_required: true },
      { value: { resource: 'https://mcp.example.com', issuers: [AUTH], scopes: undefined, demandsProof: true } },
    ],
    [
      'refuses another resource',
      { ...good, resource: 'https://evil.example.com/mcp' },
      { problem: 'is that of another resource, https://evil.example.com/mcp' },
    ],
    ['refuses no resource', { authorization_servers: [AUTH] }, { problem: 'names no resource' }],
    [
      'refuses no authorization server',
      { ...good, authorization_servers: [] },
      { problem: 'names no authorization server' },
    ],
    ['refuses a list', [], { problem: 'is not a JSON object' }],
  ];
  for (const [name, document, expected] of CASES)
    test(name, () => assert.deepEqual(decodeResourceMetadata(document, SERVER), expected));
});

suite('metadata of an authorization server', () => {
  test('is looked for at two places, with a path at three', () => {
    assert.deepEqual(serverMetadataUrls(new URL(AUTH)), [
      `${AUTH}/.well-known/oauth-authorization-server`,
      `${AUTH}/.well-known/openid-configuration`,
    ]);
    assert.deepEqual(serverMetadataUrls(new URL(`${AUTH}/tenant/1/`)), [
      `${AUTH}/.well-known/oauth-authorization-server/tenant/1`,
      `${AUTH}/.well-known/openid-configuration/tenant/1`,
      `${AUTH}/tenant/1/.well-known/openid-configuration`,
    ]);
  });

  const good = {
    issuer: AUTH,
    authorization_endpoint: `${AUTH}/authorize`,
    token_endpoint: `${AUTH}/token`,
    code_challenge_methods_supported: ['S256'],
  };
  const judge = (
    members: Record<string, Json | undefined>,
    expected = AUTH,
    found: MetadataDiscovery = 'named',
  ): string => {
    const document: Record<string, Json | undefined> = { ...good, ...members };
    const decoded = decodeServerMetadata(document, expected, SERVER);
    if ('problem' in decoded) return decoded.problem;
    return signInRefusal(decoded.value, found) ?? `ok ${decoded.value.issuer}`;
  };
  const CASES: readonly (readonly [string, string, string])[] = [
    ['all is well', judge({}), `ok ${AUTH}`],
    ['another issuer', judge({ issuer: 'https://evil.example' }), 'is that of another issuer, https://evil.example'],
    ['an issuer with a final slash more', judge({ issuer: `${AUTH}/` }), `ok ${AUTH}/`],
    ['an issuer with a final slash less', judge({}, `${AUTH}/`), `ok ${AUTH}`],
    ['a path with a final slash less', judge({ issuer: `${AUTH}/t` }, `${AUTH}/t/`), `ok ${AUTH}/t`],
    ['two slashes more', judge({ issuer: `${AUTH}//` }), `is that of another issuer, ${AUTH}//`],
    ['two slashes less', judge({}, `${AUTH}//`), `is that of another issuer, ${AUTH}`],
    ['a slash within', judge({ issuer: `${AUTH}/t//x` }, `${AUTH}/t/x`), `is that of another issuer, ${AUTH}/t//x`],
    ['another port', judge({ issuer: `${AUTH}:8443/` }), `is that of another issuer, ${AUTH}:8443/`],
    ['another path', judge({ issuer: `${AUTH}/evil` }, `${AUTH}/`), `is that of another issuer, ${AUTH}/evil`],
    ['a query', judge({ issuer: `${AUTH}/?` }), `is that of another issuer, ${AUTH}/?`],
    [
      'another case',
      judge({ issuer: 'https://AUTH.example.com' }),
      'is that of another issuer, https://AUTH.example.com',
    ],
    ['the own origin with a slash', judge({ issuer: `${AUTH}/` }, AUTH, 'origin'), `ok ${AUTH}/`],
    [
      'the own origin, another issuer',
      judge({ issuer: `${AUTH}/x` }, AUTH, 'origin'),
      `is that of another issuer, ${AUTH}/x`,
    ],
    ['no issuer', judge({ issuer: undefined }), 'names no issuer'],
    ['no token endpoint', judge({ token_endpoint: undefined }), 'names no token_endpoint'],
    [
      'a script to sign in',
      judge({ authorization_endpoint: 'javascript:alert(1)' }),
      'has a authorization_endpoint that is no address of the web',
    ],
    [
      'a sign-in in the clear',
      judge({ authorization_endpoint: 'http://auth.example.com/a' }),
      'has a authorization_endpoint that is not encrypted',
    ],
    [
      'tokens in the clear',
      judge({ token_endpoint: 'http://auth.example.com/t' }),
      'has a token_endpoint that is not encrypted',
    ],
    [
      'a registration at home',
      judge({ registration_endpoint: 'https://192.168.1.1/r' }),
      'has a registration_endpoint that is in a private network, where the server is not',
    ],
    ['an endpoint that is a number', judge({ revocation_endpoint: 7 }), 'has a revocation_endpoint that is no text'],
    ['nobody to sign in', judge({ authorization_endpoint: undefined }), 'names no authorization_endpoint'],
    [
      'no word of PKCE',
      judge({ code_challenge_methods_supported: undefined }),
      'does not say that it protects codes with PKCE',
    ],
    [
      'no word of PKCE in 2025-03-26',
      judge({ code_challenge_methods_supported: undefined }, AUTH, 'origin'),
      `ok ${AUTH}`,
    ],
    [
      'only plain PKCE',
      judge({ code_challenge_methods_supported: ['plain'] }),
      'does not protect codes with PKCE by S256',
    ],
    [
      'only plain PKCE in 2025-03-26',
      judge({ code_challenge_methods_supported: ['plain'] }, AUTH, 'origin'),
      'does not protect codes with PKCE by S256',
    ],
  ];
  for (const [name, actual, expected] of CASES) test(name, () => assert.equal(actual, expected));

  test('without any, paths by convention are assumed', () => {
    const { authorizationEndpoint, tokenEndpoint, registrationEndpoint, issuer } = assumedMetadata(SERVER);
    assert.deepEqual(
      [issuer, authorizationEndpoint, tokenEndpoint, registrationEndpoint],
      [
        'https://mcp.example.com',
        'https://mcp.example.com/authorize',
        'https://mcp.example.com/token',
        'https://mcp.example.com/register',
      ],
    );
  });
});

suite('names of an authorization server', () => {
  const name = fc
    .array(fc.constantFrom('https://a', 'https://b', '/', '//', 't', '?', '#', ' ', '%2F', ':443', 'A'), {
      maxLength: 6,
    })
    .map((parts) => parts.join(''));

  test('are one if they are equal, or differ by one final slash, and in no other case', () => {
    fc.assert(
      fc.property(name, name, fc.constantFrom('', '/', '//'), (one, two, end) => {
        for (const other of [two, one + end]) {
          const [short, long] = one.length <= other.length ? [one, other] : [other, one];
          const expected = long === short || (long.length === short.length + 1 && long === `${short}/`);
          assert.equal(isSameIssuer(one, other), expected);
          assert.equal(isSameIssuer(other, one), expected);
        }
        assert.equal(isSameIssuer(one, otherSpelling(one)), true);
      }),
      { numRuns: dose(2_000, 50_000) },
    );
  });
});
