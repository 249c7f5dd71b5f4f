import assert from 'node:assert/strict';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import { authJson, decodeAuth, expandAuth, mapAuth } from '../../../../src/core/session/authDecoder.ts';

const decode = (value: Json | undefined): { settings: unknown; notes: readonly string[] } => {
  const notes: string[] = [];
  const note = (kind: string) => (path: readonly (string | number)[], message: string) =>
    void notes.push(`${kind} ${path.join('.')}: ${message}`);
  const settings = decodeAuth(value, { fail: note('error'), warn: note('warning') });
  return { settings, notes };
};

const provider = { issuer: 'https://idp.example', clientId: 'i', idToken: '${input:id}' };

suite('the setting auth', () => {
  const GOOD: readonly (readonly [Json, unknown])[] = [
    [{}, { flow: 'auto' }],
    [{ flow: 'off' }, { flow: 'off' }],
    [
      {
        clientId: 'c',
        clientSecret: '${input:s}',
        scopes: ['a', '${env:S}'],
        dpop: 'always',
        issuer: 'https://a.example',
      },
      {
        flow: 'auto',
        clientId: 'c',
        clientSecret: '${input:s}',
        scopes: ['a', '${env:S}'],
        dpop: 'always',
        issuer: 'https://a.example',
      },
    ],
    [
      { clientMetadataUrl: 'https://c.example/c.json' },
      { flow: 'auto', clientMetadataUrl: 'https://c.example/c.json' },
    ],
    [
      { flow: 'enterprise', clientId: 'c', identityProvider: provider },
      { flow: 'enterprise', clientId: 'c', identityProvider: provider },
    ],
    [
      { flow: 'workloadIdentity', assertion: '${env:T}' },
      { flow: 'workloadIdentity', assertion: '${env:T}' },
    ],
  ];
  for (const [value, expected] of GOOD)
    test(`reads ${JSON.stringify(value)}`, () => assert.deepEqual(decode(value), { settings: expected, notes: [] }));

  const BAD: readonly (readonly [Json, readonly string[]])[] = [
    ['yes', ['error auth: Must be an object.']],
    [
      { flow: 'magic' },
      ['error auth.flow: Must be "auto" or "off" or "clientCredentials" or "enterprise" or "workloadIdentity".'],
    ],
    [{ clientID: 'x' }, ['warning auth.clientID: "clientID" is not known here.']],
    [{ clientSecret: 's' }, ['error auth.clientSecret: Add "clientId": a secret belongs to a client.']],
    [{ clientId: ' ' }, ['error auth.clientId: Must be a text that is not empty.']],
    [{ scopes: 'a b' }, ['error auth.scopes: Must be a list of texts.']],
    [
      { scopes: ['a b', 'ok', 7] },
      [
        'error auth.scopes.0: Must be one scope: a text without spaces, quotes and backslashes.',
        'error auth.scopes.2: Must be one scope: a text without spaces, quotes and backslashes.',
      ],
    ],
    [{ dpop: true }, ['error auth.dpop: Must be "auto" or "always".']],
    [
      { clientMetadataUrl: 'http://c.example/c.json' },
      ['error auth.clientMetadataUrl: Must begin with https:// and have a path.'],
    ],
    [
      { clientMetadataUrl: 'https://c.example' },
      ['error auth.clientMetadataUrl: Must begin with https:// and have a path.'],
    ],
    [{ issuer: 'a.example' }, ['error auth.issuer: Must begin with https://.']],
    [
      { flow: 'clientCredentials' },
      [
        'error auth: The flow "clientCredentials" needs "clientId".',
        'error auth: The flow "clientCredentials" needs "clientSecret" or "privateKey".',
      ],
    ],
    [{ flow: 'workloadIdentity' }, ['error auth: The flow "workloadIdentity" needs "assertion".']],
    [
      { flow: 'enterprise', clientId: 'c', identityProvider: {} },
      [
        'error auth.identityProvider: Add "idToken", the identity token of the person.',
        'error auth.identityProvider: Add "issuer" or "tokenEndpoint".',
        'error auth: The flow "enterprise" needs "identityProvider".',
      ],
    ],
  ];
  for (const [value, expected] of BAD)
    test(`says what is wrong with ${JSON.stringify(value)}`, () => assert.deepEqual(decode(value).notes, expected));

  test('every text is expanded, one after the other, and what is secret is named', async () => {
    const order: string[] = [];
    const expanded = await expandAuth(
      {
        flow: 'enterprise',
        clientId: '1',
        clientSecret: '2',
        scopes: ['3'],
        identityProvider: { tokenEndpoint: '4', clientSecret: '5', idToken: '6' },
      },
      (text) => {
        order.push(text);
        return Promise.resolve(`<${text}>`);
      },
    );
    assert.deepEqual(expanded, {
      settings: {
        flow: 'enterprise',
        clientId: '<1>',
        clientSecret: '<2>',
        scopes: ['<3>'],
        identityProvider: { tokenEndpoint: '<4>', clientSecret: '<5>', idToken: '<6>' },
      },
      secrets: [
        { name: 'clientSecret', value: '<2>' },
        { name: 'idToken', value: '<6>' },
        { name: 'identityProvider.clientSecret', value: '<5>' },
      ],
    });
    assert.deepEqual(order, ['1', '2', '3', '4', '5', '6']);
  });

  test('maps every text, and shows all of it to the fingerprint', () => {
    const settings = { flow: 'enterprise', clientId: 'c', scopes: ['s'], identityProvider: provider } as const;
    const mapped = mapAuth(settings, (text) => text.toUpperCase());
    assert.deepEqual(mapped, {
      flow: 'enterprise',
      clientId: 'C',
      scopes: ['S'],
      identityProvider: { issuer: 'HTTPS://IDP.EXAMPLE', clientId: 'I', idToken: '${INPUT:ID}' },
    });
    assert.deepEqual(JSON.parse(JSON.stringify(authJson(settings))), settings);
  });

  test('is absent by default', () => {
    assert.deepEqual(decode(undefined), { settings: undefined, notes: [] });
    assert.deepEqual(decode([]), { settings: undefined, notes: ['error auth: Must be an object.'] });
  });

  test('needs of each flow what that cannot do without, and nothing else', () => {
    const needs = (value: JsonObject): string =>
      decode(value)
        .notes.map((note) => note.replace(/^error auth: The flow "\w+" needs (.*)\.$/, '$1'))
        .join(', ');
    const rows: Readonly<Record<string, JsonObject>> = {
      secret: { flow: 'clientCredentials', clientId: 'c', clientSecret: 's' },
      key: { flow: 'clientCredentials', clientId: 'c', privateKey: 'k' },
      'no secret': { flow: 'clientCredentials', clientId: 'c' },
      'no client': { flow: 'clientCredentials', privateKey: 'k' },
      enterprise: { flow: 'enterprise', clientId: 'c', identityProvider: provider },
      'enterprise by its metadata': {
        flow: 'enterprise',
        clientMetadataUrl: 'https://c.example/c.json',
        identityProvider: provider,
      },
      'enterprise without a client': { flow: 'enterprise', identityProvider: provider },
      'enterprise without a provider': { flow: 'enterprise', clientId: 'c' },
      workload: { flow: 'workloadIdentity', assertion: 'a' },
      'no assertion': { flow: 'workloadIdentity' },
      'any other flow': { flow: 'auto' },
      'secret and client': { clientId: 'c', clientSecret: 's' },
    };
    assert.deepEqual(Object.fromEntries(Object.entries(rows).map(([name, value]) => [name, needs(value)])), {
      secret: '',
      key: '',
      'no secret': '"clientSecret" or "privateKey"',
      'no client': '"clientId"',
      enterprise: '',
      'enterprise by its metadata': '',
      'enterprise without a client': '"clientId" or "clientMetadataUrl"',
      'enterprise without a provider': '"identityProvider"',
      workload: '',
      'no assertion': '"assertion"',
      'any other flow': '',
      'secret and client': '',
    });
  });

  test('has an identity provider with a token and an address', () => {
    const provided = (identityProvider: Json): { settings: unknown; notes: readonly string[] } => {
      const { settings, notes } = decode({ identityProvider });
      return { settings, notes: notes.map((note) => note.replace('auth.identityProvider', 'it')) };
    };
    const ending = 'Must be a text that is not empty.';
    assert.deepEqual(
      [
        provided([]),
        provided({ issuer: 'https://i.example', idToken: 't', secret: 's' }),
        provided({ tokenEndpoint: 'https://i.example/t', idToken: 't' }),
        provided({ issuer: 'i.example', tokenEndpoint: 't.example', idToken: 't' }),
        provided({ issuer: 'https://i.example', idToken: 7 }),
        provided({ issuer: 'https://i.example', clientSecret: '', idToken: 'a\0' }),
        provided({ idToken: 't' }),
      ],
      [
        { settings: { flow: 'auto' }, notes: ['error it: Must be an object.'] },
        {
          settings: { flow: 'auto', identityProvider: { issuer: 'https://i.example', idToken: 't' } },
          notes: ['warning it.secret: "secret" is not known here.'],
        },
        {
          settings: { flow: 'auto', identityProvider: { tokenEndpoint: 'https://i.example/t', idToken: 't' } },
          notes: [],
        },
        {
          settings: {
            flow: 'auto',
            identityProvider: { issuer: 'i.example', tokenEndpoint: 't.example', idToken: 't' },
          },
          notes: ['error it.issuer: Must begin with https://.', 'error it.tokenEndpoint: Must begin with https://.'],
        },
        { settings: { flow: 'auto' }, notes: [`error it.idToken: ${ending}`] },
        { settings: { flow: 'auto' }, notes: [`error it.clientSecret: ${ending}`, `error it.idToken: ${ending}`] },
        {
          settings: { flow: 'auto', identityProvider: { idToken: 't' } },
          notes: ['error it: Add "issuer" or "tokenEndpoint".'],
        },
      ],
    );
  });

  test('takes addresses of the web, and those that begin with a variable', () => {
    const accepted = (key: string, addresses: readonly string[]): readonly string[] =>
      addresses.filter((address) => decode({ [key]: address }).notes.length === 0);
    const issuers = [
      'https://a',
      'HTTP://a',
      '${input:i}',
      'xhttps://a',
      'https:///a',
      'https:// a',
      'https://',
      'a${x}',
    ];
    assert.deepEqual(accepted('issuer', issuers), issuers.slice(0, 3));
    const documents = [
      'https://a/b',
      'HTTPS://a/b/c?d',
      '${env:U}',
      'https://a',
      'https://a/',
      'https:///b',
      'https://a b/c',
      'https://a/b c',
      'https://a/b#c',
      'http://a/b',
      'xhttps://a/b',
    ];
    assert.deepEqual(accepted('clientMetadataUrl', documents), documents.slice(0, 3));
  });

  test('takes every scope that a request may hold', () => {
    const scopes = [
      'a',
      '!#[]~',
      'a:b/c',
      '${input:two words}',
      'a${env:S}b',
      '',
      ' ',
      '"',
      '\\',
      '\x7f',
      'ä',
      'a b',
      '${a b',
    ];
    const { settings } = decode({ scopes });
    assert.deepEqual(settings, { flow: 'auto', scopes: scopes.slice(0, 5) });
    assert.deepEqual(decode({ scopes: 'a' }).settings, { flow: 'auto', scopes: [] });
  });

  test('expands, maps and shows only what is there', async () => {
    const expand = (text: string): Promise<string> => Promise.resolve(`<${text}>`);
    assert.deepEqual(await expandAuth({ flow: 'off' }, expand), { settings: { flow: 'off' }, secrets: [] });
    assert.deepEqual(mapAuth({ flow: 'off' }, String), { flow: 'off' });
    assert.deepEqual(authJson({ flow: 'off' }), { flow: 'off', scopes: undefined, identityProvider: undefined });
    const keys = { flow: 'auto', clientMetadataUrl: '1', issuer: '2', privateKey: '3', algorithm: '4', assertion: '5' };
    const settings = { ...keys, flow: 'auto', scopes: ['6', '7'] } as const;
    assert.deepEqual(await expandAuth(settings, expand), {
      settings: {
        flow: 'auto',
        clientMetadataUrl: '<1>',
        issuer: '<2>',
        privateKey: '<3>',
        algorithm: '<4>',
        assertion: '<5>',
        scopes: ['<6>', '<7>'],
      },
      secrets: [
        { name: 'privateKey', value: '<3>' },
        { name: 'assertion', value: '<5>' },
      ],
    });
    assert.deepEqual(authJson(settings), { ...settings, identityProvider: undefined });
  });
});
