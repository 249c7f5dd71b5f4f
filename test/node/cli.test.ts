import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VERSION } from '../../src/cli/version.ts';
import { DrivenHost, ended, mcpl, type Message, startProgram } from './cliProgram.ts';

/** A server in one line of JavaScript. Answers every request with the entry of `results` for its method. */
function script(results: Readonly<Record<string, object>>): readonly string[] {
  const code = `const results = ${JSON.stringify(results)};
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id !== undefined && results[method]) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] }));
    });`;
  return [process.execPath, '-e', code];
}

const HELLO = { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } };

suite('The program mcpl', () => {
  test('says its version, which is that of the package, and how it is used', async () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as object;
    assert.equal(Reflect.get(manifest, 'version'), VERSION);
    assert.deepEqual(await mcpl('--version'), { code: 0, out: `${VERSION}\n`, err: '' });
    const { code, out } = await mcpl('--help');
    assert.deepEqual([code, out.startsWith('Usage:\n')], [0, true]);
    const nonsense = 'There is no command "dance".\nRun "mcpl --help" for how to use it.\n';
    assert.deepEqual(await mcpl('dance'), { code: 2, out: '', err: nonsense });
  });

  test('inspects the demo server with a PATH that has no program', async () => {
    const { code, out, err } = await ended(startProgram(['inspect', 'mcpl-demo'], { PATH: '/nowhere' }));
    assert.deepEqual([code, err], [0, '']);
    assert.match(
      out,
      /^Demo Notes \(mcpl-demo 1\.0\.0\)\nMCP 2025-11-25\nMCPL 0\.2: .+\nConnection: stdio, legacy era, first answer after \d+ ms\nCapabilities: tools, experimental\n/,
    );
    assert.match(out, /\nTools \(\d+\):\n\n {2}add_note - Add Note\n/);
  });

  test('inspects as JSON, the tools as the server gave them', async () => {
    const { code, out } = await mcpl('inspect', '--json', 'mcpl-demo');
    const value = JSON.parse(out) as { tools: { name: string; outputSchema?: object }[]; protocolVersion: string };
    assert.deepEqual([code, value.protocolVersion], [0, '2025-11-25']);
    assert.ok(value.tools.find(({ name }) => name === 'add_note')?.outputSchema !== undefined);
  });

  test('calls a tool, with progress on stderr', async () => {
    const added = await mcpl(
      'call',
      'add_note',
      'title=5',
      'pinned=true',
      '--args',
      '{"tags":["a"]}',
      '--',
      'mcpl-demo',
    );
    assert.deepEqual(added, { code: 0, out: 'Added note-1: 5 (pinned) #a\n', err: '' });
    const summary = await mcpl('call', 'summarize_notes', 'secondsPerStep=0', '--', 'mcpl-demo');
    assert.equal(summary.out, 'There are no notes yet. Add one first.\n');
    assert.equal(summary.err, '[0/4] Sorting\n[1/4] Sorting\n[2/4] Sorting\n[3/4] Sorting\n[4/4] Done\n');
    const json = await mcpl('call', 'list_notes', '--json', '--', 'mcpl-demo');
    assert.deepEqual(JSON.parse(json.out), {
      content: [{ type: 'text', text: 'There are no such notes.' }],
      structuredContent: { notes: [], total: 0 },
    });
  });

  test('its exit code says what failed: the tool, the usage, the start, the call', async () => {
    const outcomes = await Promise.all([
      mcpl('call', 'delete_note', 'id=x', '--', 'mcpl-demo'),
      mcpl('call', 'delete_note', 'id=x'),
      mcpl('inspect', 'no-such-command-anywhere'),
      mcpl('call', 'nope', '--', 'mcpl-demo'),
      mcpl('inspect', '--timeout', '0.2', process.execPath, '-e', 'setInterval(() => {}, 1000)'),
    ]);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [1, 2, 3, 4, 3],
    );
    assert.equal(outcomes[0]?.out, 'There is no note "x". List the notes to see their ids.\n');
    assert.match(outcomes[2]?.err ?? '', /^The command no-such-command-anywhere was not found\. Install it/);
    assert.match(outcomes[3]?.err ?? '', /has no tool "nope".*\nIt has: add_note, list_notes/);
    assert.match(outcomes[4]?.err ?? '', /did not answer "initialize" within 0\.2 seconds/);
  });

  test('prints nothing of a server that a terminal would act on', async () => {
    const nasty = '\u001b]0;title\u0007\u001b[2Jtext\u009b31m\u202e';
    const server = script({
      initialize: { ...HELLO, serverInfo: { name: nasty, title: nasty, version: nasty }, instructions: nasty },
      'tools/list': {
        tools: [{ name: 't', title: nasty, description: nasty, inputSchema: { properties: { [nasty]: {} } } }],
      },
      'tools/call': { content: [{ type: 'text', text: nasty }] },
    });
    const outputs = await Promise.all([
      mcpl('inspect', '--verbose', ...server),
      mcpl('inspect', '--json', ...server),
      mcpl('call', 't', '--', ...server),
      mcpl('call', '--json', 't', '--', ...server),
    ]);
    for (const { out, err } of outputs)
      assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    assert.deepEqual(
      outputs.map(({ code }) => code),
      [0, 0, 0, 0],
    );
    assert.equal(outputs[2]?.out, ']0;title[2Jtext31m\\u{202e}\n');
  });

  test('interrupted, it cancels the call and leaves no server behind', async () => {
    const child = startProgram(['call', 'summarize_notes', 'secondsPerStep=10', '--', 'mcpl-demo']);
    const whole = ended(child);
    await once(child.stderr, 'data');
    child.kill('SIGINT');
    const { code, err } = await whole;
    assert.deepEqual([code, /was cancelled\./.test(err)], [130, true]);
  });
});

/** The demo server, whose note tools models may use. */
const NOTES = { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] } };

suite('mcpl host --control', () => {
  let folder: string;
  let host: DrivenHost;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-cli-'));
    mkdirSync(join(folder, '.vscode'));
  });

  teardown(async () => {
    await host.end();
    rmSync(folder, { recursive: true, force: true });
  });

  function drive(...args: readonly string[]): void {
    host = new DrivenHost(...args);
  }

  const hear = (members: object): Promise<Message> => host.hear(members);
  const ask = (id: number, command: string, members?: object): Promise<unknown> => host.ask(id, command, members);

  function settings(file: string, servers: object, inputs: readonly object[] = []): string {
    const path = join(folder, file);
    writeFileSync(
      path,
      `{ // settings\n"mcpl.servers": ${JSON.stringify(servers)}, "mcpl.inputs": ${JSON.stringify(inputs)}, }`,
    );
    return path;
  }

  test('runs the servers of a settings file, calls their tools, and ends all of it', async () => {
    drive('--settings', settings('user.json', { notes: { ...NOTES, enabled: true }, off: { command: 'x' } }));
    await hear({ event: 'server', server: 'notes', what: 'tools' });
    const servers = (await ask(1, 'servers')) as { id: string; state: { kind: string; pid?: number } }[];
    assert.deepEqual(
      servers.map(({ id, state }) => `${id} ${state.kind}`),
      ['notes running', 'off stopped'],
    );
    const result = (await ask(2, 'call', { server: 'notes', tool: 'add_note', args: { title: 'Tea' } })) as object;
    assert.equal(Reflect.get(result, 'text'), 'Added note-1: Tea');
    const slow = ask(3, 'call', { server: 'notes', tool: 'summarize_notes', args: { secondsPerStep: 10 } });
    assert.deepEqual(await hear({ event: 'progress' }), {
      event: 'progress',
      call: 3,
      progress: 0,
      total: 4,
      message: 'Reading "Tea"',
    });
    assert.deepEqual(await ask(4, 'cancel', { call: 3 }), { cancelled: true });
    assert.equal(Reflect.get((await slow) as object, 'code'), 'CANCELLED');
    assert.deepEqual(await ask(5, 'configure', { servers: {} }), []);
    await hear({ event: 'server', server: 'notes', what: 'removed' });
    const closed = once(host.child, 'close');
    assert.equal(await ask(6, 'shutdown'), null);
    assert.deepEqual(await closed, [0, null]);
    assert.throws(() => process.kill(servers[0]?.state.pid ?? 0, 0), { code: 'ESRCH' });
  });

  test('asks before a server of the workspace starts, and remembers the answer in its store', async () => {
    const inputs = [{ id: 'key', type: 'promptString', password: true }];
    settings('.vscode/settings.json', { notes: { command: 'mcpl-demo', env: { KEY: '${input:key}' } } }, inputs);
    const store = join(folder, 'kept', 'store.sqlite');
    drive('--workspace', folder, '--store', store);
    const refused = ask(1, 'start', { server: 'notes' });
    const { kind, target, reason } = await hear({ event: 'question' });
    assert.deepEqual([kind, target, reason], ['start', 'mcpl-demo', 'first']);
    await ask(2, 'answer', { question: 'q1', answer: 'dontStart' });
    assert.equal(Reflect.get((await refused) as object, 'code'), 'NOT_APPROVED');
    const started = ask(3, 'start', { server: 'notes' });
    await hear({ event: 'question', question: 'q2' });
    await ask(4, 'answer', { question: 'q2', answer: 'start' });
    assert.deepEqual(await hear({ event: 'question' }), {
      event: 'question',
      question: 'q3',
      kind: 'input',
      input: 'key',
      definedBy: 'workspace',
      secret: true,
    });
    await ask(5, 'answer', { question: 'q3', answer: 'x' });
    assert.equal(Reflect.get((await started) as object, 'kind'), 'running');
    await ask(6, 'shutdown');
    await once(host.child, 'close');

    drive('--workspace', folder, '--store', store);
    const consents = (await ask(1, 'consents')) as { server: string }[];
    assert.deepEqual(
      consents.map(({ server }) => server),
      ['notes'],
    );
    void ask(2, 'start', { server: 'notes' });
    assert.equal((await hear({ event: 'question' }))['kind'], 'input');
    await ask(3, 'answer', { question: 'q1', answer: 'x' });
    await ask(4, 'forget', { server: 'notes' });
    assert.deepEqual(await ask(5, 'consents'), []);
  });

  test('starts nothing where the workspace is not trusted', async () => {
    drive('--untrusted', '--settings', settings('user.json', { notes: { command: 'mcpl-demo', enabled: true } }));
    await hear({ event: 'ready' });
    assert.equal(Reflect.get((await ask(1, 'start', { server: 'notes' })) as object, 'code'), 'NOT_TRUSTED');
  });

  test('answers what is no command, and goes on', async () => {
    drive();
    host.child.stdin.write('what?\n');
    assert.equal(Reflect.get((await hear({ id: null }))['error'] as object, 'code'), 'INVALID_COMMAND');
    assert.deepEqual(await ask(1, 'servers'), []);
  });

  test('prints the log on request', async () => {
    drive('--log', 'info', '--settings', settings('user.json', { notes: { command: 'mcpl-demo', enabled: true } }));
    const message = 'Demo notes server is ready. Notes are kept in memory until it stops.';
    assert.deepEqual(await hear({ event: 'log', message }), { event: 'log', server: 'notes', level: 'info', message });
  });

  test('ends every server in order on SIGTERM', async () => {
    drive('--settings', settings('user.json', { notes: { command: 'mcpl-demo', enabled: true } }));
    await hear({ event: 'server', what: 'tools' });
    const [server] = (await ask(1, 'servers')) as { state: { pid: number } }[];
    host.child.kill('SIGTERM');
    assert.deepEqual(await once(host.child, 'close'), [0, null]);
    assert.throws(() => process.kill(server?.state.pid ?? 0, 0), { code: 'ESRCH' });
  });

  test('says what is wrong with its settings file and does not begin', async () => {
    const file = join(folder, 'bad.json');
    writeFileSync(file, '{\n  "mcpl.servers" 1\n}');
    drive('--settings', file);
    const { code, out, err } = await ended(host.child);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /bad\.json, line 2: ColonExpected\./);
  });
});
