import assert from 'node:assert/strict';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { FormAnswer } from '../../../../src/core/inputPorts.ts';
import { settle } from '../../../support/fakeClock.ts';
import { failWith, tool } from '../../../support/scriptedServer.ts';
import { closeAll, type InputHost, legacy, modern } from './inputHost.ts';

const CREATE = 'elicitation/create';
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

function formOf(properties: JsonObject, required: readonly string[] = []): JsonObject {
  return { message: 'Who?', requestedSchema: { type: 'object', properties, required } };
}

function page(url: string, extra: JsonObject = {}): JsonObject {
  return { mode: 'url', message: 'Sign in there', url, elicitationId: 'e1', ...extra };
}

async function answers(host: InputHost, answer: FormAnswer): Promise<void> {
  host.person.forms.at(-1)?.answer.resolve(answer);
  await settle();
}

suite('Elicitation by a form', () => {
  teardown(closeAll);

  test('is declared in both modes, and accepted, declined or left open as the user wants', async () => {
    const host = await legacy('2025-06-18');
    const hello = host.t.server.messages[0]?.['params'] as JsonObject;
    assert.deepEqual((hello['capabilities'] as JsonObject)['elicitation'], { form: {}, url: {} });
    const seen = [];
    for (const answer of [
      { kind: 'accept', values: { '/name': 'Ada' } },
      { kind: 'decline' },
      { kind: 'cancel' },
    ] satisfies FormAnswer[]) {
      const id = await host.asks(CREATE, { message: 'Your\u202E name?', requestedSchema: NAME });
      await answers(host, answer);
      seen.push(host.answerTo(id));
    }
    assert.deepEqual(seen, [
      { action: 'accept', content: { name: 'Ada' } },
      { action: 'decline' },
      { action: 'cancel' },
    ]);
    const { server, message, form, remarks } = host.person.forms[0]!.question;
    assert.deepEqual([server, message, form.fields.map(({ id }) => id), remarks], ['a', 'Your name?', ['/name'], []]);
  });

  test('is filled with the defaults of every kind of field, which are sent if nothing is changed', async () => {
    const host = await legacy('2025-11-25');
    const id = await host.asks(
      CREATE,
      formOf({
        name: { type: 'string', default: 'John' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'idle'], default: 'idle' },
        color: { type: 'string', oneOf: [{ const: '#f00', title: 'Red' }], default: '#f00' },
        tags: { type: 'array', items: { anyOf: [{ const: 'a' }, { const: 'b', title: 'B' }] }, default: ['b'] },
        verified: { type: 'boolean', default: true },
        note: { type: 'string' },
      }),
    );
    const { question } = host.person.forms[0]!;
    await answers(host, { kind: 'accept', values: question.values });
    assert.deepEqual(host.answerTo(id), {
      action: 'accept',
      content: { name: 'John', age: 30, score: 95.5, status: 'idle', color: '#f00', tags: ['b'], verified: true },
    });
  });

  test('is shown again with what is wrong until it is right, and what is wrong is never sent', async () => {
    const host = await legacy('2025-11-25');
    const id = await host.asks(CREATE, formOf({ age: { type: 'integer', minimum: 18 } }, ['age']));
    await answers(host, { kind: 'accept', values: { '/age': '7' } });
    assert.equal(host.answerTo(id), undefined);
    const again = host.person.forms[1]!.question;
    assert.deepEqual([again.values, again.errors], [{ '/age': '7' }, { '/age': 'Enter a number of at least 18.' }]);
    await answers(host, { kind: 'accept', values: { '/age': '18' } });
    assert.deepEqual(host.answerTo(id), { action: 'accept', content: { age: 18 } });
  });

  test('what only the schema can judge is judged before it is sent', async () => {
    const host = await legacy('2025-11-25');
    const problems = [['/name: String does not match pattern.'], []];
    host.judge = () => {
      const found = problems.shift() ?? [];
      return found.length > 0 ? { kind: 'mismatch', problems: found } : { kind: 'ok' };
    };
    const id = await host.asks(CREATE, formOf({ name: { type: 'string', pattern: '^[A-Z]' } }));
    await answers(host, { kind: 'accept', values: { '/name': 'ada' } });
    assert.deepEqual(host.person.forms[1]?.question.remarks, [
      'The server wants something else: /name: String does not match pattern.',
    ]);
    await answers(host, { kind: 'accept', values: { '/name': 'Ada' } });
    assert.deepEqual(host.answerTo(id), { action: 'accept', content: { name: 'Ada' } });
  });

  test('whose message or description asks for a secret marks the fields that could take it', async () => {
    const host = await legacy('2025-11-25');
    const schema = {
      a: { type: 'string' },
      b: { type: 'boolean' },
      c: { type: 'string', description: 'Ihr Passwort' },
    };
    await host.asks(CREATE, formOf(schema));
    await answers(host, { kind: 'decline' });
    await host.asks(CREATE, { ...formOf({ a: { type: 'string' }, b: { type: 'boolean' } }), message: '请输入密码' });
    assert.deepEqual(
      host.person.forms.map(({ question: { sensitive, remarks } }) => [sensitive, remarks.length]),
      [
        [['/c'], 1],
        [['/a'], 1],
      ],
    );
  });

  test('that asks for a secret says so, whatever way its names are written', async () => {
    const host = await legacy('2025-11-25');
    const plain = ['name', 'tokens', 'passenger', 'keyboard', 'email', 'pinned', 'maxTokens', 'spanish'];
    const secret = ['password', 'apiKey', 'API_KEY', 'access-token', 'token', 'PIN', 'Card number', 'clientSecret'];
    await host.asks(
      CREATE,
      formOf(Object.fromEntries([...plain, ...secret].map((name) => [name, { type: 'string' }]))),
    );
    const { sensitive, remarks } = host.person.forms[0]!.question;
    assert.deepEqual(
      sensitive,
      secret.map((name) => `/${name}`),
    );
    assert.match(
      remarks[0] ?? '',
      /^This looks as if a secret was wanted: "password", "apiKey".* Servers must not ask/,
    );
    await answers(host, { kind: 'cancel' });
  });

  test('that the server cancels is closed and not answered, and the next one has its turn', async () => {
    const host = await legacy('2025-11-25');
    const first = await host.asks(CREATE, { message: '1', requestedSchema: NAME });
    const second = await host.asks(CREATE, { message: '2', requestedSchema: NAME });
    assert.deepEqual(
      host.person.forms.map(({ question }) => question.message),
      ['1'],
    );
    host.t.server.notify('notifications/cancelled', { requestId: first });
    await settle();
    assert.equal(host.person.forms[0]?.token.isCancellationRequested, true);
    assert.deepEqual(
      host.person.forms.map(({ question }) => question.message),
      ['1', '2'],
    );
    host.person.forms[0]?.answer.resolve({ kind: 'accept', values: { '/name': 'late' } });
    await answers(host, { kind: 'decline' });
    assert.deepEqual([host.answerTo(first), host.answerTo(second)], [undefined, { action: 'decline' }]);
  });

  test('in a flood is answered with cancel for questions that cannot be answered any more', async () => {
    const host = await legacy('2025-11-25');
    const ids = [];
    for (let n = 0; n < 10; n++) ids.push(await host.asks(CREATE, { message: String(n), requestedSchema: NAME }));
    assert.deepEqual(
      ids.map((id) => JSON.stringify(host.answerTo(id))),
      [...Array.from({ length: 8 }, () => undefined), '{"action":"cancel"}', '{"action":"cancel"}'],
    );
    assert.equal(host.person.forms.length, 1);
    assert.match(host.t.logs.join('\n'), /A question of "a" was not shown: 8 are open\./);
    await host.t.host.stop('a');
    assert.equal(host.person.forms[0]?.token.isCancellationRequested, true);
  });

  test('without an answer is answered with cancel after ten minutes', async () => {
    const host = await legacy('2025-11-25');
    const id = await host.asks(CREATE, { message: 'Anyone?', requestedSchema: NAME });
    await host.t.clock.advance(599_000);
    assert.equal(host.answerTo(id), undefined);
    await host.t.clock.advance(1_000);
    assert.deepEqual(host.answerTo(id), { action: 'cancel' });
    assert.equal(host.person.forms[0]?.token.isCancellationRequested, true);
  });

  test('that cannot be shown is answered with cancel, and what is no elicitation with an error', async () => {
    const host = await legacy('2025-11-25');
    const broken = await host.asks(CREATE, { message: 'Hm?', requestedSchema: NAME });
    host.person.forms[0]?.answer.reject(new Error('no window'));
    await settle();
    const nested = await host.asks(CREATE, formOf({ a: { type: 'object' } }));
    assert.deepEqual(host.answerTo(broken), { action: 'cancel' });
    assert.match(String(host.answerTo(nested)), /^-32602 /);
    assert.match(host.t.logs.join('\n'), /could not be shown: no window/);
  });

  test('is not there on a connection of a revision without it, and has no URLs in the first with it', async () => {
    const old = await legacy('2025-03-26');
    const unknown = await old.asks(CREATE, { message: 'Hm?', requestedSchema: NAME });
    assert.match(String(old.answerTo(unknown)), /^-32601 /);
    const first = await legacy('2025-06-18');
    const byUrl = await first.asks(CREATE, page('https://example.com/'));
    assert.match(String(first.answerTo(byUrl)), /^-32602 /);
  });

  test('as an input of a stateless call is asked by the same form', async () => {
    const inputs: JsonObject[] = [];
    const host = await modern({
      'tools/list': () => ({ tools: [tool('add')], ttlMs: 0, cacheScope: 'private' }),
      'tools/call': (params) => {
        if (params['inputResponses'] !== undefined) inputs.push(params['inputResponses'] as JsonObject);
        if (inputs.length > 0) return { content: [{ type: 'text', text: 'hello' }] };
        const q = { method: CREATE, params: { message: 'Who?', requestedSchema: NAME } };
        return { resultType: 'input_required', requestState: 's', inputRequests: { q } };
      },
    });
    const result = host.t.host.callTool({ server: 'a', tool: 'add', args: {}, route: 'command' });
    await settle();
    await answers(host, { kind: 'accept', values: { '/name': 'Ada' } });
    assert.equal((await result).modelText, 'hello');
    assert.deepEqual(inputs, [{ q: { action: 'accept', content: { name: 'Ada' } } }]);
  });
});

suite('Elicitation by a page', () => {
  teardown(closeAll);

  test('shows the whole URL and its real host, and is answered once the user agreed', async () => {
    const host = await legacy('2025-11-25');
    const id = await host.asks(CREATE, page('https://example.com/ui?key=1#x'));
    const { question, answer } = host.person.pages[0]!;
    assert.deepEqual(question, {
      server: 'a',
      message: 'Sign in there',
      url: 'https://example.com/ui?key=1#x',
      host: 'example.com',
      writtenHost: undefined,
      elicitationId: 'e1',
      remarks: [],
    });
    assert.equal(host.answerTo(id), undefined);
    answer.resolve('accept');
    await settle();
    assert.deepEqual(host.answerTo(id), { action: 'accept' });
  });

  test('says what is suspicious about an address', async () => {
    const host = await legacy('2025-11-25');
    const remarksOn = async (url: string): Promise<readonly string[]> => {
      await host.asks(CREATE, page(url));
      const { question, answer } = host.person.pages.at(-1)!;
      answer.resolve('decline');
      await settle();
      return [question.host, ...question.remarks];
    };
    assert.deepEqual(await remarksOn('https://аpple.com/'), [
      'xn--pple-43d.com',
      'Its host is written "аpple.com" and is really "xn--pple-43d.com".',
      'Letters of other alphabets in its host can look like those of another one.',
    ]);
    assert.deepEqual(await remarksOn('https://xn--pple-43d.com/'), [
      'xn--pple-43d.com',
      'Letters of other alphabets in its host can look like those of another one.',
    ]);
    assert.deepEqual(await remarksOn('https://github.com@evil.example:8443/login'), [
      'evil.example:8443',
      'It names a user before its host, which is a common disguise of addresses.',
    ]);
    assert.deepEqual(await remarksOn('http://Example.com/'), [
      'example.com',
      'It is not encrypted: others can read along.',
    ]);
    const here = 'It is on this machine: a program here answers, not a website.';
    assert.deepEqual(await remarksOn('http://localhost:3000/x'), ['localhost:3000', here]);
    assert.deepEqual(await remarksOn('http://0x7f.1/'), [
      '127.0.0.1',
      'Its host is written "0x7f.1" and is really "127.0.0.1".',
      here,
    ]);
    const inside = 'It is in a private network, not on the internet.';
    for (const host of ['192.168.1.1', '[fd00::1]', '[64:ff9b::a00:1]', 'printer', 'wiki.corp'])
      assert.deepEqual(await remarksOn(`https://${host}/x`), [host, inside]);
  });

  test('of any other scheme, or too long to be looked through, is refused without a question', async () => {
    const host = await legacy('2025-11-25');
    const refused = [
      'file:///etc/passwd',
      'javascript:alert(1)',
      'vscode://x.y/z',
      `https://a.b/${'x'.repeat(5_000)}`,
      'x',
    ];
    for (const url of refused)
      assert.match(String(host.answerTo(await host.asks(CREATE, page(url)))), /^-32602 /, url.slice(0, 30));
    assert.equal(host.person.pages.length, 0);
  });

  test('is finished once, when the server reports it; unknown ids are ignored', async () => {
    const host = await legacy('2025-11-25');
    await host.asks(CREATE, page('https://example.com/1'));
    host.person.pages[0]?.answer.resolve('accept');
    await settle();
    for (const elicitationId of ['unknown', 'e1', 'e1']) {
      host.t.server.notify('notifications/elicitation/complete', { elicitationId });
      await settle();
    }
    assert.deepEqual(host.person.ended, ['https://example.com/1']);
  });
});

suite('A call that needs pages to be visited first', () => {
  teardown(closeAll);

  const request = { server: 'a', tool: 'add', args: {}, route: 'gateway' } as const;
  const required = failWith(-32042, 'Visit first.', { elicitations: [page('https://example.com/connect')] });

  async function calling(times: number): Promise<InputHost> {
    let left = times;
    return legacy('2025-11-25', {
      'tools/list': () => ({ tools: [tool('add')] }),
      'tools/call': () => (left-- > 0 ? required : { content: [{ type: 'text', text: 'done' }] }),
    });
  }

  const calls = (host: InputHost): number => host.t.server.heard.filter((line) => line.startsWith('tools/call')).length;

  test('asks for consent, waits for the end of the visit, and is made once more', async () => {
    const host = await calling(1);
    const result = host.t.host.callTool(request);
    await settle();
    assert.deepEqual([host.person.pages[0]?.question.url, calls(host)], ['https://example.com/connect', 1]);
    host.person.pages[0]?.answer.resolve('accept');
    await settle();
    assert.equal(calls(host), 1);
    host.t.server.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
    assert.equal((await result).modelText, 'done');
    assert.deepEqual([calls(host), host.person.visits[0]?.token.isCancellationRequested], [2, true]);
  });

  test('goes on when the user says so, and when the server was faster than the user', async () => {
    const host = await calling(1);
    const first = host.t.host.callTool(request);
    await settle();
    host.person.pages[0]?.answer.resolve('accept');
    await settle();
    host.person.visits[0]?.answer.resolve('continue');
    assert.equal((await first).modelText, 'done');

    const fast = await calling(1);
    const second = fast.t.host.callTool(request);
    await settle();
    fast.t.server.notify('notifications/elicitation/complete', { elicitationId: 'e1' });
    await settle();
    fast.person.pages[0]?.answer.resolve('accept');
    assert.equal((await second).modelText, 'done');
    assert.equal(fast.person.visits.length, 0);
  });

  test('fails in words when the user declines, gives up, or takes too long', async () => {
    const outcomes = [];
    for (const [answer, after] of [['decline'], ['accept', 'cancel'], ['accept', 'late']] as const) {
      const host = await calling(1);
      const failed = host.t.host.callTool(request).catch((error: Error) => error.message);
      await settle();
      host.person.pages[0]?.answer.resolve(answer);
      await settle();
      if (after === 'cancel') host.person.visits[0]?.answer.resolve('cancel');
      if (after === 'late') await host.t.clock.advance(1_800_000);
      outcomes.push([await failed, calls(host)]);
    }
    const message = (what: string) => `The tool "add" of "a" needs a page that ${what}.`;
    assert.deepEqual(outcomes, [
      [message('was not opened'), 1],
      [message('was not finished'), 1],
      [message('was not finished'), 1],
    ]);
  });

  test('that is cancelled closes its question, and is not made once more', async () => {
    const host = await calling(1);
    const source = new CancellationSource();
    const failed = host.t.host.callTool(request, { token: source.token }).catch((error: Error) => error.message);
    await settle();
    source.cancel();
    assert.equal(await failed, 'The call was cancelled.');
    await settle();
    assert.deepEqual([host.person.pages[0]?.token.isCancellationRequested, calls(host)], [true, 1]);
  });

  test('is made once more only once: a second refusal is the end', async () => {
    const host = await calling(9);
    const failed = host.t.host.callTool(request).catch((error: Error) => error.message);
    await settle();
    host.person.pages[0]?.answer.resolve('accept');
    await settle();
    host.person.visits[0]?.answer.resolve('continue');
    assert.equal(await failed, 'Visit first.');
    assert.deepEqual([calls(host), host.person.pages.length], [2, 1]);
  });
});
