import assert from 'node:assert/strict';
import { notMcp, shownBody, statusFailure } from '../../src/node/http/httpFailure.ts';
import { HttpCases } from './cases/httpCaseServer.ts';

const PAGE = `<!DOCTYPE html>
<html lang="en"><head><style>body { margin: 0 }</style><title>502 Bad
  Gateway</title></head><body><h1>Bad Gateway</h1>${'<p>x</p>'.repeat(1_000)}</body></html>`;

suite('A web page instead of an answer', () => {
  test('is named by its title, and everything else is shown as it is', () => {
    const shown = (body: string): string => shownBody(body);
    assert.deepEqual(
      {
        page: shown(PAGE),
        'without a title': shown('<html><body>x</body></html>'),
        'with an empty title': shown('<html><title> </title></html>'),
        'after a comment and a mark': shown(`\uFEFF\n<!-- cached -->\n${PAGE}`),
        'as XML': shown(`<?xml version="1.0"?>${PAGE}`),
        'a heading only': shown('<h1>Not Found</h1>'),
        'of nginx': shown('<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center>nginx</center>'),
        'of express': shown(
          '<!DOCTYPE html>\n<html lang="en"><head><title>Error</title></head><body><pre>Cannot POST /</pre>',
        ),
        'a long title': shown(`<html><title>${'t'.repeat(1_000)}`).length,
        'a title with hidden characters': shown('<html><title>a\u202eb\u0000</title>'),
        text: shown('  Bad\n  Gateway '),
        'text about markup': shown('use <html> here'),
        json: shown('{"error":"<html>"}'),
        nothing: shown(''),
        'an open comment': shown(`<!-- ${'-'.repeat(100_000)}`).length,
      },
      {
        page: 'a web page, “502 Bad Gateway”',
        'without a title': 'a web page',
        'with an empty title': 'a web page',
        'after a comment and a mark': 'a web page, “502 Bad Gateway”',
        'as XML': 'a web page, “502 Bad Gateway”',
        'a heading only': 'a web page',
        'of nginx': 'a web page, “404 Not Found”',
        'of express': 'a web page, “Error”',
        'a long title': 114,
        'a title with hidden characters': 'a web page, “ab”',
        text: 'Bad Gateway',
        'text about markup': 'use <html> here',
        json: '{"error":"<html>"}',
        nothing: '',
        'an open comment': 200,
      },
    );
  });

  test('is not part of the error', () => {
    const { message } = statusFailure({ status: 502, body: PAGE, now: 0 });
    assert.equal(message, 'The server answered HTTP 502 (Bad Gateway): a web page, “502 Bad Gateway”');
    assert.equal(notMcp(PAGE).message, 'The server answered with what is no message: a web page, “502 Bad Gateway”');
  });
});

suite('A web page from a server, in the log of the host', () => {
  const cases = HttpCases.ofSuite();

  for (const [what, status] of [
    ['an error', 502],
    ['a success', 200],
  ] as const)
    test(`with the status of ${what} leaves no markup there`, async () => {
      const page = { 'content-type': 'text/html' };
      const server = await cases.serve({
        'server/discover': (exchange) => exchange.status(status, PAGE, page),
        initialize: (exchange) => exchange.status(status, PAGE, page),
      });
      const opened = cases.open(server.url());
      const failure = await opened.failure();
      assert.match(failure, /a web page, “502 Bad Gateway”/);
      assert.deepEqual(
        [failure, ...opened.log].filter((line) => line.includes('<')),
        [],
      );
    });
});
