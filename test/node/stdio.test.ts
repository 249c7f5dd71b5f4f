import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { HostError, isJsonObject } from '../../src/core/index.ts';
import { openStdio, type StdioOptions } from '../../src/node/process/stdio.ts';
import { isRunning, SERVER, StdioBench } from './stdioServer.ts';

const base64 = (text: string | Uint8Array): string => Buffer.from(text).toString('base64');

suite('a server over stdio', () => {
  let bench: StdioBench;
  teardown(() => bench.close());

  test('is spoken to in lines, in its own folder and environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'stdio '));
    bench = await StdioBench.open([], { cwd: folder, env: { PATH: process.env['PATH'], ONLY: 'this' } });
    assert.deepEqual(await bench.ask('echo', { text: 'línea\n😀\u2028' }), { text: 'línea\n😀\u2028' });
    const told = await bench.ask('env');
    assert.ok(isJsonObject(told) && isJsonObject(told['env']));
    assert.deepEqual([told['cwd'], told['env']['ONLY'], told['env']['HOME']], [folder, 'this', undefined]);
    rmSync(folder, { recursive: true });
  });

  test('is heard through splits, noise, blank lines, batches and headers', async () => {
    bench = await StdioBench.open();
    const answer = bench.ask('raw', {
      pieces: [
        base64('starting up\n\n{"method":"a","params":{"t":"'),
        base64(new Uint8Array([0xf0, 0x9f])),
        base64(new Uint8Array([0x98, 0x80])),
        base64('"}}\r\n{"half":\n[{"method":"b"},{"jsonrpc":"2.0","id":77,"result":{}},{"id":"x","method":"ask"}]\n'),
        base64('Content-Length: 14\r\n\r\n{"method":"c"}{"id":1,"result":"do'),
        base64('ne"}\n'),
      ],
    });
    assert.equal(await answer, 'done');
    assert.deepEqual(bench.notified, ['a {"t":"😀"}', 'b {}', 'c {}']);
    assert.deepEqual(bench.noise, ['starting up (not a message)', '{"half": (not JSON)']);
    assert.deepEqual(bench.logged, ['warn: Ignored an answer with the unknown id 77.']);
  });

  test('may send a message that is too large without ending the connection', async () => {
    bench = await StdioBench.open([], { lineCap: 1_000 });
    await assert.rejects(bench.ask('echo', { text: 'x'.repeat(2_000) }), { code: 'MESSAGE_TOO_LARGE' });
    assert.deepEqual(await bench.ask('echo', { small: true }), { small: true });
    assert.deepEqual(bench.dropped, ['MESSAGE_TOO_LARGE']);
  });

  test('may flood stderr: it is read on, limited, and no error', async () => {
    bench = await StdioBench.open();
    await bench.ask('stderr', { line: 'x'.repeat(1_000), count: 6_000 });
    assert.deepEqual(await bench.ask('echo', { alive: true }), { alive: true });
    await bench.close();
    assert.ok(bench.stderr.length < 2_000, `${bench.stderr.length} lines`);
    assert.match(bench.stderr.join('\n'), /^… \d+ lines left out$/m);
  });

  test('may flood notifications, and others have their turns in between', async () => {
    let inThisTurn = 0;
    let most = 0;
    let isOn = true;
    const tick = (): void => {
      most = Math.max(most, inThisTurn);
      inThisTurn = 0;
      if (isOn) setImmediate(tick);
    };
    bench = await StdioBench.open([], {
      onNotification: () => {
        inThisTurn++;
        const end = performance.now() + 0.05;
        while (performance.now() < end);
      },
    });
    setImmediate(tick);
    await bench.ask('flood', { count: 6_000 });
    isOn = false;
    assert.equal(bench.notified.length, 6_000);
    // A slice takes 4 ms, and each message 0.05 ms. On a busy machine a turn may get two slices. Without slices, a turn
    // would process at least one whole read.
    assert.ok(most > 0 && most <= 200, `${most} in one turn`);
  });

  test('that exits in the middle of a call fails that call, and says how it ended', async () => {
    bench = await StdioBench.open();
    const call = bench.ask('echo', {});
    const lost = bench.ask('die', { code: 3, words: 'cannot go on\n', last: '{"method":"lastWords"}' });
    await assert.rejects(lost, { code: 'CONNECTION_CLOSED' });
    await call;
    const error = await bench.closed;
    assert.deepEqual(
      [error?.code, error?.message, error?.data],
      [
        'SERVER_EXITED',
        'The server exited with code 3. It wrote last: “ready / cannot go on”.',
        { exitCode: 3, signal: null, stderr: ['ready', 'cannot go on'] },
      ],
    );
    assert.deepEqual(bench.notified, ['lastWords {}']);
    assert.equal(await isRunning(bench.transport.pid), false);
  });

  test('that crashes is reported with its signal', async () => {
    bench = await StdioBench.open();
    await assert.rejects(bench.ask('crash'), /was ended by the signal SIGABRT/);
  });

  test('that closes its output is ended', async () => {
    bench = await StdioBench.open(['--stubborn'], { shutdown: { stdinMs: 50, termMs: 50 } });
    await assert.rejects(bench.ask('closeOutput'), {
      message:
        'The connection closed before the server answered closeOutput. The server closed its output while it was running.',
    });
    await bench.transport.close();
    assert.equal(await isRunning(bench.transport.pid), false);
  });

  test('that does not read is given up before memory runs out', async () => {
    bench = await StdioBench.open(['--deaf'], { shutdown: { stdinMs: 50, termMs: 500 } });
    const text = 'x'.repeat(1024 * 1024);
    const calls = Array.from({ length: 70 }, () => bench.ask('echo', { text }).catch((error: unknown) => error));
    const errors = await Promise.all(calls);
    assert.ok(errors.every((error) => error instanceof HostError && error.code === 'CONNECTION_CLOSED'));
    assert.match(String(errors[0]), /does not read its input/);
  });

  test('delivers nothing before it is started, and then everything', async () => {
    bench = await StdioBench.open();
    await bench.close();
    const transport = await openStdio(options({ args: ['-e', 'console.log(JSON.stringify({method:"early"}))'] }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    const seen: unknown[] = [];
    const closed = new Promise((resolve) => transport.onClose(({ error }) => resolve(error?.code)));
    transport.start((message) => seen.push(message));
    assert.deepEqual(seen, []);
    assert.equal(await closed, 'SERVER_EXITED');
    assert.deepEqual(seen, [{ method: 'early' }]);
    await transport.close();
  });

  test('may be taken over by another receiver in the middle of what it wrote', async () => {
    bench = await StdioBench.open();
    await bench.close();
    const script = 'console.log([1, 2, 3].map((n) => JSON.stringify({ n })).join("\\n"))';
    const transport = await openStdio(options({ args: ['-e', script] }));
    const seen: unknown[] = [];
    const closed = new Promise((resolve) => transport.onClose(resolve));
    transport.start((first) => {
      seen.push({ first });
      transport.start((later) => seen.push({ later }));
    });
    await closed;
    assert.deepEqual(seen, [{ first: { n: 1 } }, { later: { n: 2 } }, { later: { n: 3 } }]);
    await transport.close();
  });

  test('that writes before there is a listener has to wait', async () => {
    bench = await StdioBench.open();
    const heard: string[] = [];
    const script = "process.stdout.write('\\n'.repeat(5e6), () => console.error('written')); console.error('writing')";
    const transport = await openStdio(options({ args: ['-e', script], onStderr: (line) => heard.push(line) }));
    // The other server answers meanwhile, which gives a reader without backpressure enough time.
    for (let i = 0; i < 200; i++) await bench.ask('echo');
    while (heard.length === 0) await bench.ask('echo');
    await bench.ask('stderr', { line: 'x', count: 1_000 });
    const before = [...heard];
    const closed = new Promise((resolve) => transport.onClose(resolve));
    transport.start(() => undefined);
    await closed;
    assert.deepEqual([before, heard], [['writing'], ['writing', 'written']]);
    await transport.close();
  });
});

suite('a server that cannot be started', () => {
  let folder: string;
  setup(() => (folder = mkdtempSync(join(tmpdir(), 'commands-'))));
  teardown(() => rmSync(folder, { recursive: true }));

  const failure = async (changes: Partial<StdioOptions>): Promise<HostError> => {
    const error: unknown = await openStdio(options(changes)).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof HostError);
    return error;
  };

  test('names the missing command and the searched folders', async () => {
    const env = { PATH: [folder, ...Array.from({ length: 8 }, (_, i) => `/opt/${i}`)].join(delimiter) };
    const error = await failure({ command: 'no-such-command', env });
    assert.deepEqual(
      [error.code, error.message, error.suggestion, error.effect],
      [
        'COMMAND_NOT_FOUND',
        'The command no-such-command was not found.',
        `Install it, or give its full path. Searched: ${folder}, /opt/0, /opt/1, /opt/2, /opt/3, /opt/4, and 3 more folders.`,
        'none',
      ],
    );
    const path = await failure({ command: './no/such/command' });
    assert.equal(path.suggestion, 'There is no such file. Correct "command" in the settings of this server.');
  });

  test('names the folder that is missing', async () => {
    const missing = join(folder, 'gone');
    const error = await failure({ cwd: missing });
    assert.deepEqual(
      [error.code, error.message],
      ['FOLDER_NOT_FOUND', `The working folder ${missing} does not exist.`],
    );
    assert.equal((await failure({ cwd: SERVER })).message, `The working folder ${SERVER} is a file.`);
  });

  if (process.platform !== 'win32') {
    test('names the file that is not executable', async () => {
      const file = join(folder, 'script');
      writeFileSync(file, '#!/bin/sh\n');
      const error = await failure({ command: file });
      assert.deepEqual(
        [error.code, error.message],
        ['COMMAND_NOT_EXECUTABLE', `The command ${file} is not executable.`],
      );
    });

    test('names the interpreter that is missing', async () => {
      const file = join(folder, 'script');
      writeFileSync(file, '#!/no/such/python\n');
      chmodSync(file, 0o755);
      const error = await failure({ command: 'script', env: { PATH: folder } });
      const message = `The command script was found at ${file}, but not /no/such/python, which it says runs it.`;
      assert.deepEqual([error.code, error.message], ['COMMAND_NOT_FOUND', message]);
    });
  }
});

function options(changes: Partial<StdioOptions>): StdioOptions {
  return {
    command: process.execPath,
    args: [],
    cwd: undefined,
    env: process.env,
    onStderr: () => undefined,
    onNoise: () => undefined,
    ...changes,
  };
}
