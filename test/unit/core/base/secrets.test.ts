import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { isHideable, redactor, SecretList } from '../../../../src/core/base/secrets.ts';
import { clip } from '../../../../src/core/base/json.ts';
import { textFinder } from '../../../../src/core/base/textFinder.ts';
import { dose } from '../../../support/dose.ts';

const redacted = (text: string, ...values: readonly string[]): string =>
  redactor(values.map((value) => ({ name: 'KEY', value })))(text);

suite('Redaction', () => {
  test('replaces every occurrence of every secret by its name', () => {
    const redact = redactor([
      { name: 'GITHUB_TOKEN', value: 'hunter22' },
      { name: 'X-Api Key: "now"', value: 'tok.en+1' },
    ]);
    assert.equal(
      redact('a=hunter22 b=hunter22 c=tok.en+1'),
      'a=[secret: GITHUB_TOKEN] b=[secret: GITHUB_TOKEN] c=[secret: X-Api_Key_now_]',
    );
  });

  test('hides a secret that contains another as a whole', () => {
    assert.equal(
      redacted('key abcdabcd-secret--, abcdabcd', 'abcdabcd', 'secret--', 'abcdabcd-secret--'),
      'key [secret: KEY], [secret: KEY]',
    );
  });

  test('hides the forms that a secret takes in JSON, in JSON within JSON and in a URL', () => {
    const secret = 'pa"ss\\wo rd&';
    const inJson = JSON.stringify({ secret });
    assert.equal(redacted(inJson, secret), '{"secret":"[secret: KEY]"}');
    assert.equal(redacted(JSON.stringify({ inJson }), secret), '{"inJson":"{\\"secret\\":\\"[secret: KEY]\\"}"}');
    const inUrl = encodeURIComponent(secret);
    assert.equal(
      redacted(`?a=${inUrl}&b=${inUrl.toLowerCase()}&c=${inUrl.replaceAll('%20', '+')}`, secret),
      '?a=[secret: KEY]&b=[secret: KEY]&c=[secret: KEY]',
    );
  });

  test('hides the forms that other languages write in JSON and in URLs', () => {
    const secret = 'p@ss/w0rd+<Zq9\'é"=';
    const forms = [
      ['PHP', 'p@ss\\/w0rd+<Zq9\'\\u00e9\\"='],
      ['Python', 'p@ss/w0rd+<Zq9\'\\u00e9\\"='],
      ['Go', 'p@ss/w0rd+\\u003cZq9\'é\\"='],
      ['.NET', 'p@ss/w0rd\\u002B\\u003CZq9\\u0027\\u00E9\\u0022='],
      ['Python, quote', 'p%40ss/w0rd%2B%3CZq9%27%C3%A9%22%3D'],
      ['Python, quote_plus', 'p%40ss%2Fw0rd%2B%3CZq9%27%C3%A9%22%3D'],
      ['path', encodeURI(secret)],
    ];
    for (const [name, form] of forms) assert.equal(redacted(`a ${form} b`, secret), 'a [secret: KEY] b', name);
  });

  test('hides a secret in base64, at any place of the encoded text', () => {
    const secret = 'hunter2-hünter3?';
    for (const before of ['', 'u', 'me', 'me:', 'user:'])
      for (const encoding of ['base64', 'base64url'] as const)
        for (const after of ['', '!', '!!', ':x']) {
          const clean = redacted(Buffer.from(before + secret + after).toString(encoding), secret);
          assert.match(clean, /^.{0,8}\[secret: KEY\].{0,8}$/);
        }
    const other = Buffer.from('user:another-secret').toString('base64');
    assert.equal(redacted(other, secret), other);
  });

  test('hides the beginning of a secret where a text was cut before', () => {
    const secret = 'Ab3-0123456789-xyz-0123456789';
    const text = `The server said: token=${secret} and more`;
    for (let max = 10; max <= text.length; max++) {
      const cut = redacted(`${clip(text, max)} Try again.`, secret);
      const left = /Ab3-[^…]*/.exec(cut)?.[0] ?? '';
      assert.ok(left.length < 12, cut);
    }
    assert.equal(redacted(`short: ${clip('hunter22', 7)}`, 'hunter22'), 'short: [secret: KEY]…');
    assert.equal(
      redacted('See https://… for more… of it', 'https://user.example.com/0123'),
      'See https://… for more… of it',
    );
  });

  test('hides a secret of several lines line by line, but not the frame of a key', () => {
    const key = '-----BEGIN PRIVATE KEY-----\n  MIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC\n}';
    assert.equal(
      redacted('-----BEGIN PRIVATE KEY----- MIIEvQIBADANBgkq and } and hkiG9w0BAQEFAASC', key),
      '-----BEGIN PRIVATE KEY----- [secret: KEY] and } and [secret: KEY]',
    );
  });

  test('leaves short values, common words and paths alone', () => {
    const common = [
      '1234567',
      'production',
      'Localhost',
      'application/json',
      '/etc/ssl/key.pem',
      'C:\\keys\\id',
      '~/.ssh',
    ];
    for (const value of [...common, './secrets/dev.env', '127.0.0.1:5432', '       x   '])
      assert.equal(isHideable(value), false, value);
    for (const value of ['12345678', 'hunter22', '/wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY', 'two words'])
      assert.equal(isHideable(value), true, value);
  });

  test('leaves no secret in a text, whatever the secret is and whatever stands around it', () => {
    const secret = fc.string({ unit: 'binary', minLength: 8, maxLength: 20 }).filter(isHideable);
    const secrets = fc.array(secret, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(secrets, fc.stringMatching(/^[ <>,]{0,6}$/), (all, around) => {
        const text = all.map((each) => around + each + around).join('|');
        assert.equal(
          all.some((each) => redacted(text, ...all).includes(each)),
          false,
        );
      }),
      { numRuns: dose(300, 20_000) },
    );
  });

  test('of JSON gives JSON', () => {
    const secret = fc.string({ minLength: 8, maxLength: 12 }).filter(isHideable);
    fc.assert(
      fc.property(secret, fc.string(), (value, around) => {
        const text = JSON.stringify({ [around + value]: [around, value + around] });
        // A secret of JSON punctuation may also match the message's own.
        if (/^[\s",:[\]{}]+$/.test(value)) return;
        assert.doesNotThrow(() => void JSON.parse(redacted(text, value)), text);
      }),
      { numRuns: dose(300, 20_000) },
    );
  });

  test('finds a text exactly where the language does', () => {
    const letters = fc.constantFrom('a', 'b', 'é', '漢', '😀', '\ud83d', '\ude00');
    const some = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
      fc.array(letters, { minLength, maxLength }).map((all) => all.join(''));
    const wanted = fc.array(fc.oneof(some(1, 5), some(7, 24), some(60, 90)), { minLength: 1, maxLength: 6 });
    const around = fc.tuple(some(0, 24), fc.boolean(), fc.nat(5), some(0, 24));
    fc.assert(
      fc.property(wanted, around, (texts, [before, isWhole, index, after]) => {
        const one = texts[index % texts.length] ?? '';
        const text = before + (isWhole ? one : one.slice(0, -1)) + after;
        for (const each of [texts, texts.filter(({ length }) => length >= 7)])
          assert.equal(
            textFinder(each)(text),
            each.some((given) => text.includes(given)),
          );
      }),
      { numRuns: dose(2_000, 100_000) },
    );
  });

  test('finds a text at every place of a long one, across the chunks in which it is searched', () => {
    const wanted = ['0123456789abcdef', 'ghp_é漢😀_0123456789', `-----${'key'.repeat(40)}`];
    const find = textFinder(wanted);
    for (const filler of ['x', 'é', '漢', '😀'])
      for (let end = 16_384 - 140; end < 16_384 + 10; end++) {
        const before = filler.repeat(Math.floor(end / filler.length)) + 'x'.repeat(end % filler.length);
        for (const text of wanted) {
          assert.equal(find(before + text + filler), true, `${text} after ${end} of ${filler}`);
          assert.equal(find(before + text.slice(0, -1)), false, `most of ${text} after ${end} of ${filler}`);
        }
      }
  });
});

suite('The list of secrets', () => {
  test('hides a secret from everybody but the servers that know it', () => {
    const list = new SecretList();
    list.add([{ name: 'TOKEN', value: 'token-of-a' }], 'a');
    list.add([{ name: 'TOKEN', value: 'token-of-both' }], 'a');
    list.add([{ name: 'KEY', value: 'token-of-both' }], 'b');
    const text = 'token-of-a token-of-both';
    assert.deepEqual(
      [list.redact(text), list.foreignTo('a')?.(text), list.foreignTo('b')?.(text), list.foreignTo('c')?.(text)],
      [
        '[secret: TOKEN] [secret: TOKEN]',
        undefined,
        '[secret: TOKEN] token-of-both',
        '[secret: TOKEN] [secret: TOKEN]',
      ],
    );
  });

  test('never changes a secret on the way to its own server, even if another secret is part of it', () => {
    const list = new SecretList();
    list.add([{ name: 'A', value: 'shared-part' }], 'a');
    list.add([{ name: 'B', value: 'prefix-shared-part-suffix' }], 'b');
    const text = 'prefix-shared-part-suffix';
    assert.deepEqual([list.foreignTo('b')?.(text) ?? text, list.redact(text)], [text, '[secret: B]']);
  });

  test('keeps replaced secrets, and forgets the oldest of very many', () => {
    const list = new SecretList();
    for (let n = 0; n < 2_000; n++) list.add([{ name: 'T', value: `token-${n}-` }], 'a');
    assert.equal(list.redact('token-0- token-1900- token-1999-'), 'token-0- [secret: T] [secret: T]');
  });
});
