import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  type SignInAccount,
  readAccounts,
  readRegistration,
  readToken,
  SECRET_KEYS,
  writeStored,
} from '../../../../src/core/auth/storedRecords.ts';
import {
  decodeTokenReply,
  isExpired,
  proofProblem,
  refreshed,
  secretsOf,
  type TokenRecord,
} from '../../../../src/core/auth/tokens.ts';

const record: TokenRecord = {
  issuer: 'https://auth.example.com',
  found: 'named',
  resource: 'https://mcp.example.com',
  tokenEndpoint: 'https://auth.example.com/token',
  revocationEndpoint: undefined,
  accessToken: 'access-1',
  type: 'bearer',
  refreshToken: 'refresh-1',
  expiresAt: 100_000,
  issuedAt: 10_000,
  requested: ['a', 'b'],
  granted: ['a'],
  client: { clientId: 'c', clientSecret: 'client-secret', authMethod: 'client_secret_basic' },
  proofKey: undefined,
  servers: ['notes'],
};

suite('replies of a token endpoint', () => {
  const read = (members: object): unknown =>
    decodeTokenReply(JSON.parse(JSON.stringify({ access_token: 't', token_type: 'Bearer', ...members })));
  const value = { accessToken: 't', type: 'bearer', refreshToken: undefined, expiresIn: undefined, scopes: undefined };
  const CASES: readonly (readonly [string, unknown, unknown])[] = [
    ['the least', read({}), { value }],
    [
      'everything',
      read({ expires_in: 60, refresh_token: 'r', scope: 'a  b' }),
      { value: { ...value, refreshToken: 'r', expiresIn: 60, scopes: ['a', 'b'] } },
    ],
    ['a number as a text', read({ expires_in: '60' }), { value: { ...value, expiresIn: 60 } }],
    ['a life that cannot be', read({ expires_in: -1, refresh_token: '' }), { value }],
    ['a bound token', read({ token_type: 'dPoP' }), { value: { ...value, type: 'dpop' } }],
    ['another type', read({ token_type: 'mac' }), { problem: 'gives a token of the type mac' }],
    ['no type', read({ token_type: undefined }), { problem: 'gives a token of the type nothing' }],
    ['no token', read({ access_token: '' }), { problem: 'has no access_token that can be sent' }],
    [
      'a token that would break a header',
      read({ access_token: 'a\r\nX: y' }),
      { problem: 'has no access_token that can be sent' },
    ],
    ['no object', decodeTokenReply([]), { problem: 'is not a JSON object' }],
  ];
  for (const [name, actual, expected] of CASES) test(name, () => assert.deepEqual(actual, expected));

  test('a token must be bound exactly where its key was proved', () => {
    const reply = { ...value, type: 'bearer' } as const;
    assert.equal(proofProblem(reply, false), undefined);
    assert.equal(proofProblem(reply, true), 'does not bind the token to the key of this host');
    assert.equal(proofProblem({ ...reply, type: 'dpop' }, true), undefined);
    assert.equal(proofProblem({ ...reply, type: 'dpop' }, false), 'binds the token to a key that nobody named');
  });

  test('a refresh replaces what it names and keeps the rest', () => {
    const reply = {
      accessToken: 'access-2',
      type: 'bearer',
      refreshToken: undefined,
      expiresIn: 5,
      scopes: undefined,
    } as const;
    assert.deepEqual(refreshed(record, reply, 200_000), {
      ...record,
      accessToken: 'access-2',
      issuedAt: 200_000,
      expiresAt: 205_000,
    });
    assert.equal(refreshed(record, { ...reply, refreshToken: 'refresh-2' }, 0).refreshToken, 'refresh-2');
  });

  test('a token ends a moment early, a short one half way', () => {
    const ends = (expiresAt: number | undefined, now: number): boolean => isExpired({ issuedAt: 0, expiresAt }, now);
    assert.deepEqual([ends(3_600_000, 3_569_999), ends(3_600_000, 3_570_000)], [false, true]);
    assert.deepEqual([ends(10_000, 4_999), ends(10_000, 5_000)], [false, true]);
    assert.equal(ends(undefined, 1e15), false);
  });
});

suite('what is kept about sign-ins', () => {
  const account: SignInAccount = {
    server: 'https://mcp.example.com',
    variant: '["auto",null]',
    issuer: record.issuer,
    resource: record.resource,
    scopes: ['a'],
    isPinned: false,
    at: 5,
  };

  test('comes back as it was', () => {
    const registration = {
      clientId: 'c',
      authMethod: 'none',
      redirectUri: 'http://127.0.0.1:1/callback',
      scopes: [],
    } as const;
    assert.deepEqual(readToken(writeStored(record)), record);
    assert.deepEqual(readAccounts(writeStored([account])), [account]);
    assert.deepEqual(
      { ...registration, clientSecret: undefined, expiresAt: undefined },
      readRegistration(writeStored(registration)),
    );
  });

  test('is nothing if it is damaged, older, or absent', () => {
    for (const text of [
      undefined,
      '',
      '{',
      'null',
      '[]',
      '{"version":0,"value":{}}',
      '{"version":1}',
      '{"version":1,"value":[7]}',
    ])
      assert.deepEqual([readToken(text), readAccounts(text), readRegistration(text)], [undefined, [], undefined]);
    const keys = Object.keys(record).filter(
      (key) => !['refreshToken', 'expiresAt', 'revocationEndpoint', 'proofKey'].includes(key),
    );
    for (const key of keys)
      assert.equal(readToken(JSON.stringify({ version: 1, value: { ...record, [key]: {} } })), undefined, key);
  });

  test('is kept apart by issuer, resource and client, however these are written', () => {
    const triple = fc.tuple(fc.string(), fc.string(), fc.string());
    fc.assert(
      fc.property(triple, triple, (a, b) => {
        const key = ([issuer, resource, variant]: readonly [string, string, string]): string =>
          SECRET_KEYS.token({ issuer, resource, variant });
        assert.equal(key(a) === key(b), JSON.stringify(a) === JSON.stringify(b));
      }),
    );
  });

  test('names each of its secrets', () => {
    assert.deepEqual(
      secretsOf(record).map(({ name, value }) => `${name} ${value}`),
      ['access_token access-1', 'refresh_token refresh-1', 'client_secret client-secret'],
    );
  });
});
