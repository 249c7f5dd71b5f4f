import assert from 'node:assert/strict';
import { isHostError } from '../../../../src/core/base/errors.ts';
import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { SchemaVerdict } from '../../../../src/core/inputPorts.ts';
import type { Route, ToolCallRequest } from '../../../../src/core/model/operation.ts';
import { settle } from '../../../support/fakeClock.ts';
import { ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';

const PLAIN = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
const HARD = { type: 'object', properties: { n: { pattern: '^a' } } };

/** A server with a tool for each kind of schema, and a checker whose verdicts the test decides. */
class Stage {
  readonly t = new TestHost();
  readonly asked: string[] = [];
  verdict: SchemaVerdict | Promise<SchemaVerdict> = { kind: 'ok' };
  schemas: Readonly<Record<string, JsonObject>> = { plain: PLAIN, hard: HARD, free: { type: 'object' } };

  constructor() {
    this.t.inputPorts.schemaChecker = {
      check: (schema, value, token) => {
        this.asked.push(`${JSON.stringify(schema)} ${JSON.stringify(value)}`);
        const { verdict } = this;
        if (!(verdict instanceof Promise)) return Promise.resolve(verdict);
        return new Promise((resolve) => {
          token.onCancellationRequested(() => resolve({ kind: 'undecided', why: 'The check was cancelled.' }));
          void verdict.then(resolve);
        });
      },
    };
    this.t.connect = () =>
      new ScriptedServer({
        'tools/list': () => ({
          tools: Object.entries(this.schemas).map(([name, inputSchema]) => tool(name, { inputSchema })),
        }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
      });
  }

  start(entry: JsonObject = {}): Promise<void> {
    return this.t.user({ a: { command: 'x', enabled: true, ...entry } });
  }

  /** The result of a call: its text, or its failure. */
  async call(name: string, args: JsonObject, more: Partial<ToolCallRequest> = {}): Promise<string> {
    const request = { server: 'a', tool: name, args, route: 'gateway' as Route, ...more };
    try {
      return (await this.t.host.callTool(request)).modelText;
    } catch (error) {
      assert.ok(isHostError(error));
      return `${error.code}: ${error.message} [${error.suggestion}] ${JSON.stringify(error.data)}`;
    }
  }

  /** The arguments that were sent, in order. */
  get sent(): readonly Json[] {
    return this.t.server.messages
      .filter(({ method }) => method === 'tools/call')
      .map(({ params }) => (params as JsonObject)['arguments'] ?? null);
  }

  get remarks(): readonly (string | undefined)[] {
    return (this.t.host.server('a')?.tools ?? []).map(({ remark }) => remark);
  }

  get warnings(): readonly string[] {
    return this.t.logs.filter((line) => line.startsWith('a warn'));
  }
}

suite('The arguments of a tool call', () => {
  let stage: Stage;
  setup(() => (stage = new Stage()));
  teardown(() => stage.t.host.close());

  test('are not sent if they do not fit the schema, and the error names the path', async () => {
    await stage.start();
    stage.verdict = { kind: 'mismatch', problems: ['/n: It does not match.'] };
    const next = '[Correct them, then call the tool again. Nothing was sent to the server.]';
    assert.deepEqual(
      [await stage.call('plain', { n: 'x' }), await stage.call('plain', {}), await stage.call('hard', { n: 'b' })],
      [
        `INVALID_ARGUMENTS: The arguments do not fit the tool "plain": /n: must be integer, not string. ${next} {"problems":["/n: must be integer, not string."]}`,
        `INVALID_ARGUMENTS: The arguments do not fit the tool "plain": /n: is required. ${next} {"problems":["/n: is required."]}`,
        `INVALID_ARGUMENTS: The arguments do not fit the tool "hard": /n: It does not match. ${next} {"problems":["/n: It does not match."]}`,
      ],
    );
    assert.deepEqual([stage.sent, stage.asked], [[], [`${JSON.stringify(HARD)} {"n":"b"}`]]);
    const audit = await stage.t.host.audit.list({ limit: 9 });
    assert.deepEqual(
      audit.map(({ outcome }) => outcome),
      ['refused', 'refused', 'refused'],
    );
  });

  test('are sent if they fit, and a plain schema needs no thread', async () => {
    await stage.start();
    assert.equal(await stage.call('plain', { n: 1, more: 'x' }), 'done');
    assert.equal(await stage.call('free', { anything: null }), 'done');
    assert.deepEqual(stage.asked, []);
    assert.equal(await stage.call('hard', { n: 'a' }), 'done');
    assert.deepEqual(stage.sent, [{ n: 1, more: 'x' }, { anything: null }, { n: 'a' }]);
  });

  test('may be null if they are optional, and are sent unchanged', async () => {
    stage.schemas = {
      plain: { type: 'object', required: ['n'], properties: { n: { type: 'integer' }, b: { type: 'boolean' } } },
    };
    await stage.start();
    const args = { n: 1, b: null };
    assert.equal(await stage.call('plain', args), 'done');
    assert.match(await stage.call('plain', { n: null }), /^INVALID_ARGUMENTS: .*\/n: must be integer, not null/);
    assert.match(await stage.call('plain', { n: 'x', b: null }), /^INVALID_ARGUMENTS/);
    assert.deepEqual(stage.sent, [args]);
  });

  test('are sent unchecked where the setting of the server says so', async () => {
    await stage.start({ tools: { validateArguments: false } });
    stage.verdict = { kind: 'mismatch', problems: ['/n: It does not match.'] };
    assert.deepEqual([await stage.call('plain', {}), await stage.call('hard', { n: 'b' })], ['done', 'done']);
    await stage.start();
    assert.match(await stage.call('plain', {}), /^INVALID_ARGUMENTS/);
  });

  test('are sent anyway if the user says so, and on no other route', async () => {
    await stage.start();
    const unchecked = true;
    assert.equal(await stage.call('plain', { n: 'x' }, { route: 'command', unchecked }), 'done');
    for (const route of ['gateway', 'participant', 'extension', 'api', 'cli'] as const)
      assert.match(await stage.call('plain', { n: 'x' }, { route, unchecked }), /^INVALID_ARGUMENTS/);
    assert.match(await stage.call('plain', { n: 'x' }, { route: 'command' }), /^INVALID_ARGUMENTS/);
    assert.deepEqual(stage.sent, [{ n: 'x' }]);
  });

  test('are sent if the schema is unusable, which is reported once at the tool', async () => {
    stage.schemas = { hard: HARD, list: { type: 'array', items: {} }, plain: PLAIN };
    await stage.start();
    stage.verdict = { kind: 'undecided', why: 'The schema cannot be used: it is odd', isSchemaFault: true };
    for (let i = 0; i < 3; i++) {
      assert.equal(await stage.call('hard', { n: 'b' }), 'done');
      assert.equal(await stage.call('list', {}), 'done');
    }
    assert.equal(stage.asked.length, 1);
    const whys = ['The schema cannot be used: it is odd', 'The schema does not describe an object.'];
    assert.deepEqual(stage.remarks, [...whys, undefined]);
    assert.deepEqual(stage.warnings, [
      `a warn: The arguments of the tool "hard" are not checked: ${whys[0]}`,
      `a warn: The arguments of the tool "list" are not checked: ${whys[1]}`,
    ]);
    // A new definition is checked again.
    stage.verdict = { kind: 'ok' };
    stage.schemas = { hard: { ...HARD, title: 'Corrected' } };
    await stage.t.host.restart('a');
    await settle();
    assert.deepEqual(
      [await stage.call('hard', { n: 'a' }), stage.asked.length, stage.remarks],
      ['done', 2, [undefined]],
    );
  });

  test('are sent if the check fails this time, without a remark at the tool', async () => {
    await stage.start();
    stage.verdict = { kind: 'undecided', why: 'The value is too large to be checked.' };
    assert.deepEqual([await stage.call('hard', {}), await stage.call('hard', {})], ['done', 'done']);
    assert.deepEqual([stage.asked.length, stage.remarks, stage.warnings], [2, [undefined, undefined, undefined], []]);
  });

  test('wait two seconds for their check, and no longer', async () => {
    await stage.start();
    stage.verdict = new Promise(() => undefined);
    const call = stage.call('hard', { n: 'b' });
    await stage.t.clock.advance(1_999);
    assert.deepEqual(stage.sent, []);
    await stage.t.clock.advance(1);
    assert.deepEqual([await call, stage.sent], ['done', [{ n: 'b' }]]);
  });
});
