import assert from 'node:assert/strict';
import type { JsonObject } from '../../../../src/core/base/json.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { fakeFiles } from '../../../support/fakeFiles.ts';
import { TestHost } from '../../../support/testHost.ts';

const ON = { a: { enabled: true } };

/** The questions and the working folder of a start of a user's server that a workspace only enables. */
class Start {
  readonly t: TestHost;

  constructor(storage?: Storage, folder = '/project') {
    this.t = new TestHost(storage);
    this.t.folders = [{ name: 'project', path: folder }];
    this.t.fileNames = fakeFiles({ '/project/server.js': 'file', '/project/node_modules/.bin/pkg': 'file' });
  }

  async of(entry: JsonObject, workspace: JsonObject = ON): Promise<string> {
    const before = this.t.questions.length;
    await this.t.user({ a: entry }, workspace);
    return this.#since(before);
  }

  async again(): Promise<string> {
    const before = this.t.questions.length;
    await this.t.host.restart('a').catch(() => undefined);
    return this.#since(before);
  }

  #since(before: number): string {
    const asked = this.t.questions.slice(before).map(({ reason, remarks }) => [reason, ...remarks].join(' | '));
    const last = this.t.connections.at(-1);
    const state = this.t.host.server('a')?.state.kind ?? 'missing';
    const where = state === 'running' && last?.kind === 'stdio' ? `runs in ${last.cwd ?? 'no folder'}` : state;
    return [...asked, where].join(' -> ');
  }
}

async function one<T>(use: (start: Start) => Promise<T>, storage?: Storage, folder?: string): Promise<T> {
  const start = new Start(storage, folder);
  try {
    return await use(start);
  } finally {
    await start.t.host.close();
  }
}

const IN_FOLDER = 'It runs in "/project", where files of this workspace can become part of it.';

suite('A server of the user that a workspace switches on', () => {
  test('runs in the home folder without a question, so that a repository cannot take the place of its program', async () => {
    const entries: readonly JsonObject[] = [
      { command: 'npx', args: ['-y', 'pkg'] },
      { command: 'node', args: ['server.js'] },
      { command: './server.js' },
    ];
    for (const entry of entries) assert.equal(await one((start) => start.of(entry)), 'runs in /home/me');
  });

  test('is asked about where files of the workspace would run, and starts nothing without a yes', () =>
    one(async (start) => {
      start.t.answer = 'dontStart';
      const entry = { command: 'node', args: ['server.js'], cwd: '/project' };
      const remark = `${IN_FOLDER} | These arguments lead into this workspace: "server.js".`;
      assert.equal(await start.of(entry), `workspaceFiles | ${remark} -> stopped`);
      start.t.answer = 'start';
      assert.equal(await start.again(), `workspaceFiles | ${remark} -> runs in /project`);
      assert.equal(await start.again(), 'runs in /project');
      start.t.fileNames = fakeFiles({});
      assert.equal(await start.again(), 'runs in /project', 'a file that comes and goes there asks nothing');
      await start.t.host.forgetConsent('a');
      assert.equal(await start.again(), `workspaceFiles | ${IN_FOLDER} -> runs in /project`);
    }));

  test('is asked about once for each folder and definition, also by later windows', async () => {
    const storage = memoryStorage();
    const folderOf = (cwd: string, ...args: string[]) => ({ command: 'node', args, cwd });
    const reasons = async (folder: string, entry: JsonObject): Promise<number> =>
      one(async (start) => (await start.of(entry), start.t.questions.length), storage, folder);
    assert.deepEqual(
      [
        await reasons('/project', folderOf('${workspaceFolder}')),
        await reasons('/project', folderOf('${workspaceFolder}')),
        await reasons('/other', folderOf('${workspaceFolder}')),
        await reasons('/project', folderOf('${workspaceFolder}')),
        await reasons('/project', folderOf('${workspaceFolder}', 'x')),
        await reasons('/project', folderOf('/project')),
      ],
      [1, 0, 1, 0, 1, 0],
    );
  });

  test('is asked about in one question with what the workspace grants', () =>
    one(async (start) => {
      const entry = { command: 'node', cwd: '/project' };
      const workspace = { a: { enabled: true, tools: { autoApprove: ['x'] } } };
      const tools = 'Models may call without asking: "x".';
      assert.equal(await start.of(entry, workspace), `first | ${IN_FOLDER} | ${tools} -> runs in /project`);
      assert.equal(await start.again(), 'runs in /project');
      const more = { a: { enabled: true, tools: { autoApprove: ['x', 'y'] } } };
      await start.of(entry, more);
      assert.equal(start.t.questions.at(-1)?.reason, 'widened');
      assert.equal(start.t.questions.length, 2);
    }));

  test('is asked about where an answer to an input or a variable leads into the workspace', () =>
    one(async (start) => {
      start.t.inputs['path'] = { kind: 'value', value: '/project/server.js', secret: false };
      start.t.env['X'] = '/project/server.js';
      const remark = 'These arguments lead into this workspace: "/project/server.js".';
      assert.equal(
        await start.of({ command: 'node', args: ['${input:path}'] }),
        `workspaceFiles | ${remark} | It is given your answers to the inputs: "path". -> runs in /home/me`,
      );
      assert.equal(
        await start.of({ command: 'node', args: ['${env:X}'] }),
        `workspaceFiles | ${remark} -> runs in /home/me`,
      );
      start.t.inputs['path'] = { kind: 'value', value: '/elsewhere', secret: false };
      assert.equal(await start.of({ command: 'node', args: ['x', '${input:path}'] }), 'runs in /home/me');
    }));

  test('shows no secret in that question', () =>
    one(async (start) => {
      start.t.inputs['key'] = { kind: 'value', value: 's3cret-key', secret: true };
      await start.of({ command: 'node', args: ['--x=/project/${input:key}'] });
      assert.equal(start.t.questions.length > 0, true);
      assert.doesNotMatch(JSON.stringify(start.t.questions), /s3cret/);
    }));

  test('is asked about where its environment file lies in the workspace', () =>
    one(async (start) => {
      start.t.files['/project/.env'] = 'LD_PRELOAD=/x.so\nA=1';
      const remarks = [
        'Its environment file sets "LD_PRELOAD", which can run other code, to "/x.so".',
        'Its environment file "/project/.env" is a file of this workspace.',
        'It reads from "/project/.env" the environment variables: "A", "LD_PRELOAD".',
      ];
      assert.equal(
        await start.of({ command: 'node', envFile: '/project/.env' }),
        `workspaceFiles | ${remarks.join(' | ')} -> runs in /home/me`,
      );
    }));

  test('starts without a question where the user asked for that start in our own views', () =>
    one(async (start) => {
      const entry = { command: 'node', cwd: '/project', args: ['one'] };
      start.t.answer = 'dontStart';
      await start.of(entry, {});
      start.t.host.chooseStart('a');
      await start.t.host.start('a');
      assert.equal(await start.again(), 'runs in /project', 'and is remembered');
      assert.equal(start.t.questions.length, 0);

      start.t.host.chooseStart('a');
      await start.of({ ...entry, args: ['two'] }, {});
      assert.equal(start.t.questions.length, 1, 'for this definition only');
      assert.equal(start.t.host.server('a')?.state.kind, 'stopped');

      await start.of(entry, {});
      await start.t.host.stop('a');
      await start.t.host.forgetConsent('a');
      start.t.host.chooseStart('a');
      start.t.folders = [{ name: 'other', path: '/' }];
      await start.t.host.start('a').catch(() => undefined);
      assert.equal(start.t.questions.length, 2, 'for these folders only');
    }));
});

suite('A server of the workspace', () => {
  test('runs in the first folder, and is asked about although the user asked for that start', async () => {
    const t = new TestHost();
    t.answer = 'dontStart';
    await t.workspace({ a: { command: 'node', args: ['server.js'] } });
    t.host.chooseStart('a');
    await assert.rejects(t.host.start('a'), /was not allowed to start/);
    t.answer = 'start';
    await t.host.start('a');
    const [connection] = t.connections;
    assert.equal(connection?.kind === 'stdio' ? connection.cwd : undefined, '/project');
    assert.deepEqual(
      t.questions.map(({ reason, cwd }) => [reason, cwd]),
      [
        ['first', '/project'],
        ['first', '/project'],
      ],
    );
    await t.host.close();
  });
});

suite('A server of an extension', () => {
  test('is asked about once, with the files of the workspace that it would run', async () => {
    const t = new TestHost();
    const by = { id: 'acme.tools', name: 'Acme' };
    const servers = { a: { command: 'node', args: ['${workspaceFolder}/x.js'] } };
    t.host.configure({
      trusted: true,
      layers: [
        { scope: 'extension', servers, contributed: { by, labels: {}, problems: [] } },
        { scope: 'user', servers: ON },
      ],
    });
    await t.host.start('a');
    assert.deepEqual(
      t.questions.map(({ reason, remarks }) => [reason, ...remarks]),
      [['first', 'These arguments lead into this workspace: "/project/x.js".']],
    );
    await t.host.restart('a');
    assert.equal(t.questions.length, 1);
    await t.host.close();
  });
});
