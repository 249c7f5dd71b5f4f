import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { type Logger, NO_LOG, redacting } from '../../../src/core/base/log.ts';

const redacted = (message: string, ...secrets: readonly string[]): string => {
  const lines: string[] = [];
  redacting({ log: (level, text) => lines.push(`${level}: ${text}`) }, secrets).log('info', message);
  return lines.join('\n');
};

suite('A redacting log', () => {
  test('hides every occurrence of every secret and passes the level', () => {
    assert.equal(
      redacted('a=hunter22 b=hunter22 c=tok.en+1', 'hunter22', 'tok.en+1'),
      'info: a=‹secret› b=‹secret› c=‹secret›',
    );
  });

  test('hides a secret that contains another as a whole, and does not touch its own mark', () => {
    assert.equal(redacted('key abcd-secret, abcd', 'abcd', 'secret', 'abcd-secret'), 'info: key ‹secret›, ‹secret›');
  });

  test('hides the forms a secret takes in JSON and in a URL', () => {
    const secret = 'pa"ss\\wo rd&';
    assert.equal(
      redacted(`${JSON.stringify({ secret })} ?q=${encodeURIComponent(secret)}`, secret),
      'info: {"secret":"‹secret›"} ?q=‹secret›',
    );
  });

  test('hides a secret of several lines line by line', () => {
    const key = '{\n  MIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC\n}';
    assert.equal(
      redacted('got MIIEvQIBADANBgkq and { and hkiG9w0BAQEFAASC', key),
      'info: got ‹secret› and { and ‹secret›',
    );
  });

  test('lets texts of under four characters pass, and adds nothing where there is no secret', () => {
    const logger: Logger = { log: () => undefined };
    assert.equal(redacted('a cat sat', 'cat', ''), 'info: a cat sat');
    assert.equal(redacting(logger, ['', 'ab']), logger);
    assert.equal(redacting(NO_LOG, []), NO_LOG);
  });

  test('takes any characters as they are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 4, maxLength: 20 }), (secret) => {
        assert.equal(redacted(`<${secret}>`, secret), 'info: <‹secret›>');
      }),
    );
  });

  test('lets no secret of several through, whatever stands around it', () => {
    const secrets = fc.array(fc.stringMatching(/^[a-d]{4,8}$/), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(secrets, fc.stringMatching(/^[x-z]{0,6}$/), (all, around) => {
        const shown = redacted(all.map((secret) => around + secret).join('|'), ...all);
        for (const secret of all) assert.equal(shown.includes(secret), false);
      }),
    );
  });

  test('accepts a secret with half a character', () => {
    assert.equal(redacted('x ab\uD800cd y', 'ab\uD800cd'), 'info: x ‹secret› y');
  });
});
