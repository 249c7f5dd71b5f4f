import assert from 'node:assert/strict';
import { CancellationSource, type JsonObject } from '../../../src/core/index.ts';
import { tool } from '../../support/scriptedServer.ts';
import { type Case, ID, openCase } from './caseHost.ts';
import { accept, ask, CasePerson } from './casePerson.ts';

const paramsOf = ({ params }: JsonObject): JsonObject => params as JsonObject;
const text = (said: string): JsonObject => ({ content: [{ type: 'text', text: said }] });

suite('A tool that only runs as a task', () => {
  let opened: Case;
  teardown(() => opened.close());
  const capabilities = { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } };
  const task = (status: string, more: JsonObject = {}): JsonObject => ({
    taskId: 'T1',
    status,
    createdAt: '2026-01-01T00:00:00Z',
    lastUpdatedAt: '2026-01-01T00:00:00Z',
    ttl: 60_000,
    pollInterval: 500,
    ...more,
  });
  const answers = {
    'tools/list': () => ({ tools: [tool('long', { execution: { taskSupport: 'required' } }), tool('plain')] }),
    'tools/call': ({ params }: { readonly params: JsonObject }) =>
      params['task'] === undefined ? text('at once') : { task: task('working') },
  };
  const related = { 'io.modelcontextprotocol/related-task': { taskId: 'T1' } };

  test('is called as one, looked at as often as the server says, and asked for what it gave', async () => {
    const looks = ['working', 'completed'];
    const { call, life } = (opened = await openCase({
      version: '2025-11-25',
      capabilities,
      answers: {
        ...answers,
        'tasks/get': () => task(looks.shift() ?? 'completed'),
        'tasks/result': () => ({ ...text('finished'), _meta: related }),
      },
    }));
    assert.equal((await call('plain')).modelText, 'at once');
    const began = Date.now();
    assert.equal((await call('long', { x: 1 })).modelText, 'finished');
    assert.ok(Date.now() - began >= 990, 'two looks, half a second apart');
    const [plain, long] = life.sent('tools/call').map(paramsOf);
    assert.deepEqual([plain?.['task'], typeof (long?.['task'] as JsonObject)['ttl']], [undefined, 'number']);
    const steps = life.hostLines.flatMap((line) => /tools\/call|tasks\/\w+/.exec(line)?.[0] ?? []);
    assert.deepEqual(steps, ['tools/call', 'tools/call', 'tasks/get', 'tasks/get', 'tasks/result']);
  });

  test('asks what it needs to know, on behalf of its task', async () => {
    const person = new CasePerson();
    let answered = false;
    const { call, server } = (opened = await openCase({
      version: '2025-11-25',
      capabilities,
      host: person.ports,
      answers: {
        ...answers,
        'tools/call': () => ({ task: task('input_required') }),
        'tasks/get': () => task(answered ? 'working' : 'input_required'),
        'tasks/result': async ({ life }) => {
          const requestedSchema = { type: 'object', properties: { name: { type: 'string' } } };
          const given = await ask(life, 'elicitation/create', { message: 'Who?', requestedSchema, _meta: related });
          answered = true;
          return { ...text(JSON.stringify(given['result'])), _meta: related };
        },
      },
    }));
    person.onForm = accept({ name: 'Ada' });
    assert.equal((await call('long')).modelText, '{"action":"accept","content":{"name":"Ada"}}');
    assert.deepEqual(
      person.forms.map(({ server: id, message }) => [id, message]),
      [[ID, 'Who?']],
    );
    assert.equal(server.life.sent('tasks/result').length, 1);
  });

  test('is cancelled by its id', async () => {
    const { call, life } = (opened = await openCase({
      version: '2025-11-25',
      capabilities,
      answers: { ...answers, 'tasks/get': () => task('working'), 'tasks/cancel': () => task('cancelled') },
    }));
    const source = new CancellationSource();
    const calling = call('long', {}, { token: source.token });
    await life.until('tasks/get');
    source.cancel();
    await assert.rejects(calling, { code: 'CANCELLED' });
    assert.deepEqual(paramsOf(await life.until('tasks/cancel')), { taskId: 'T1' });
    assert.equal(
      life
        .sent('notifications/cancelled')
        .some((message) => paramsOf(message)['requestId'] === life.sent('tools/call')[0]?.['id']),
      false,
    );
  });
});
