import assert from 'node:assert/strict';
import fc from 'fast-check';
import { parseUriTemplate } from '../../../../src/core/wire/uriTemplate.ts';

/** The values of RFC 6570 §3.2. */
const VALUES = {
  count: ['one', 'two', 'three'],
  dom: ['example', 'com'],
  dub: 'me/too',
  hello: 'Hello World!',
  half: '50%',
  var: 'value',
  who: 'fred',
  base: 'http://example.com/home/',
  path: '/foo/bar',
  list: ['red', 'green', 'blue'],
  v: '6',
  x: '1024',
  y: '768',
  empty: '',
  none: [],
};

function expand(template: string, values: Record<string, string | readonly string[] | undefined> = VALUES): string {
  const parsed = parseUriTemplate(template);
  return typeof parsed === 'string' ? `! ${parsed}` : parsed.expand(values);
}

suite('A resource template', () => {
  test('is expanded as the examples of RFC 6570 are', () => {
    const expected = {
      '{var}': 'value',
      '{hello}': 'Hello%20World%21',
      '{half}': '50%25',
      'O{empty}X': 'OX',
      'O{undef}X': 'OX',
      '{x,y}': '1024,768',
      '{x,hello,y}': '1024,Hello%20World%21,768',
      '?{x,empty}': '?1024,',
      '?{x,undef}': '?1024',
      '{var:3}': 'val',
      '{list}': 'red,green,blue',
      '{list*}': 'red,green,blue',
      '{+var}': 'value',
      '{+hello}': 'Hello%20World!',
      '{+half}': '50%25',
      '{base}index': 'http%3A%2F%2Fexample.com%2Fhome%2Findex',
      '{+base}index': 'http://example.com/home/index',
      '{+path}/here': '/foo/bar/here',
      'here?ref={+path}': 'here?ref=/foo/bar',
      '{+x,hello,y}': '1024,Hello%20World!,768',
      '{+path:6}/here': '/foo/b/here',
      '{#var}': '#value',
      '{#hello}': '#Hello%20World!',
      'foo{#empty}': 'foo#',
      'foo{#undef}': 'foo',
      '{#path:6}here': '#/foo/bhere',
      '{.who,who}': '.fred.fred',
      'www{.dom*}': 'www.example.com',
      'X{.empty}': 'X.',
      '{/who}': '/fred',
      '{/var,x}/here': '/value/1024/here',
      '{/list}': '/red,green,blue',
      '{/list*}': '/red/green/blue',
      '{;who}': ';who=fred',
      '{;empty}': ';empty',
      '{;v,empty,who}': ';v=6;empty;who=fred',
      '{;list*}': ';list=red;list=green;list=blue',
      '{?x,y}': '?x=1024&y=768',
      '{?x,y,empty}': '?x=1024&y=768&empty=',
      '{?x,y,undef}': '?x=1024&y=768',
      '{?list}': '?list=red,green,blue',
      '{?list*}': '?list=red&list=green&list=blue',
      '?fixed=yes{&x}': '?fixed=yes&x=1024',
      '{&var:3}': '&var=val',
      '{?none*}': '',
    };
    assert.deepEqual(
      Object.fromEntries(Object.keys(expected).map((template) => [template, expand(template)])),
      expected,
    );
  });

  test('keeps what is encoded already where reserved characters stay, and encodes it elsewhere', () => {
    assert.equal(expand('{a}|{+a}', { a: 'é%41%' }), '%C3%A9%2541%25%7C%C3%A9%41%25');
    assert.equal(expand('{x}', { x: '\ud83d\ude00' }), '%F0%9F%98%80');
    assert.equal(expand('{x:1}', { x: '\ud83d\ude00b' }), '%F0%9F%98%80');
    assert.equal(expand('{x}', { x: '\ud83d' }), '%EF%BF%BD');
  });

  test('names its variables once each, and takes no member of objects for one', () => {
    const parsed = parseUriTemplate('mem://{id}{/path*}{?q,id,constructor}');
    assert.ok(typeof parsed !== 'string');
    assert.deepEqual(parsed.variables, ['id', 'path', 'q', 'constructor']);
    assert.equal(parsed.expand({ id: '1' }), 'mem://1?id=1');
  });

  test('that is invalid has a reason', () => {
    assert.deepEqual(
      ['a{b', '{}', '{=x}', '{a b}', '{x:0}', '{a}'.repeat(200), 'x'.repeat(200_000)].map((template) =>
        expand(template, {}),
      ),
      [
        '! the template opens a brace and does not close it',
        '! the template has an expression that is none: {}',
        '! the template has an expression that is none: {=x}',
        '! the template has an expression that is none: {a b}',
        '! the template has an expression that is none: {x:0}',
        '! the template has more than 100 expressions',
        '! the template has 200000 characters',
      ],
    );
  });

  test('never throws, whatever it is and whatever is put in', () => {
    const template = fc.string({ unit: fc.constantFrom(...'{}+#./;?&,:*%ab0é\ud83d') });
    const value = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'a%4é!/ \ud83d\udca9') }),
      fc.array(fc.string(), { maxLength: 3 }),
    );
    fc.assert(
      fc.property(template, value, (text, given) => {
        assert.match(expand(text, { a: given, b: given }), /^(?:[\x21-\x7e]*|! the template .*)$/s);
      }),
    );
  });
});
