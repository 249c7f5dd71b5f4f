import assert from 'node:assert/strict';
import fc from 'fast-check';
import { authChallenge, parseChallenges } from '../../../../src/core/auth/challenge.ts';

const show = (...values: readonly string[]): readonly string[] =>
  parseChallenges(values).map(({ scheme, parameters }) => `${scheme} ${JSON.stringify(parameters)}`);

suite('challenges', () => {
  const READ: readonly (readonly [string, readonly string[]])[] = [
    ['Bearer', ['bearer {}']],
    ['Bearer realm="a b", error="x"', ['bearer {"realm":"a b","error":"x"}']],
    ['BEARER Scope = "a b"', ['bearer {"scope":"a b"}']],
    ['Bearer realm="say \\"hi\\", now", scope=read', ['bearer {"realm":"say \\"hi\\", now","scope":"read"}']],
    ['Basic realm="x", Bearer scope="a"', ['basic {"realm":"x"}', 'bearer {"scope":"a"}']],
    ['Negotiate YWJj==, DPoP algs="ES256"', ['negotiate {}', 'dpop {"algs":"ES256"}']],
    ['Bearer, Basic', ['bearer {}', 'basic {}']],
    [',, Bearer ,, scope="a",, ', ['bearer {"scope":"a"}']],
    ['Bearer scope="first", scope="second"', ['bearer {"scope":"first"}']],
    [
      'Bearer resource_metadata=https://a.example/x?y=1, scope=a',
      ['bearer {"resource_metadata":"https://a.example/x?y=1","scope":"a"}'],
    ],
    ['Bearer scope="never ends', ['bearer {}']],
    ['"quoted" Bearer', []],
    ['', []],
  ];
  for (const [header, expected] of READ)
    test(`reads ${JSON.stringify(header)}`, () => assert.deepEqual(show(header), expected));

  test('several headers are several lists', () => {
    assert.deepEqual(show('Basic realm="a"', 'Bearer scope="b"'), ['basic {"realm":"a"}', 'bearer {"scope":"b"}']);
  });

  test('what counts is taken from the challenges of OAuth alone', () => {
    assert.deepEqual(
      authChallenge([
        'Basic realm="x", scope="no"',
        'Bearer error="e", scope=" b  a b "',
        'DPoP resource_metadata="u"',
      ]),
      {
        demandsProof: false,
        resourceMetadata: 'u',
        scopes: ['b', 'a'],
        error: 'e',
      },
    );
    assert.equal(authChallenge(['Basic realm="x"', 'Negotiate']), undefined);
    assert.equal(authChallenge(['DPoP error="use_dpop_nonce"'])?.demandsProof, true);
  });

  test('every text is read to an end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        for (const { scheme } of parseChallenges([text])) assert.match(scheme, /^[^\s,="]+$/);
      }),
    );
  });

  test('what is written by the rules is read as it was meant', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,8}$/);
    const value = fc.stringMatching(/^[ -~]{0,20}$/);
    const parameters = fc.dictionary(name, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true });
    const challenge = fc.record({ scheme: name, parameters }, { noNullPrototype: true });
    fc.assert(
      fc.property(fc.array(challenge, { maxLength: 4 }), (challenges) => {
        const header = challenges
          .map(({ scheme, parameters }) => {
            const written = Object.entries(parameters).map(
              ([key, text]) => `${key}="${text.replace(/["\\]/g, '\\$&')}"`,
            );
            return `${scheme} ${written.join(', ')}`;
          })
          .join(', ');
        assert.deepEqual(parseChallenges([header]), challenges);
      }),
    );
  });
});
