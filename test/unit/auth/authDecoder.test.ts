import assert from 'node:assert/strict';
import type { Json } from '../../../src/core/base/json.ts';
import { authJson, decodeAuth, expandAuth, mapAuth } from '../../../src/core/session/authDecoder.ts';

const decode = (value: Json): { settings: unknown; notes: readonly string[] } => {
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
});
