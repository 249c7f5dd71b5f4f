import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createHost, Emitter, type Host, type JsonObject, type VariableSource } from '../../../src/core/index.ts';
import { NodeConnector } from '../../../src/node/connector.ts';
import { memoryStorage } from '../../../src/node/store/memoryStorage.ts';
import { nodeFileNames } from '../../../src/node/names/fileNames.ts';
import { nodeClock, nodeIds } from '../../../src/node/nodePorts.ts';
import { ID, openCase } from './caseHost.ts';
import { ask, CasePerson } from './casePerson.ts';
import { CASE_SERVER, CaseServer, usualAnswers } from './caseServer.ts';

type Folder = VariableSource['folders'][number];

interface Window {
  readonly host: Host;
  readonly server: CaseServer;
  open(...folders: readonly Folder[]): void;
}

suite('The folders that a server may know', () => {
  let folder: string;
  let ends: (() => unknown)[];

  setup(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpl case ü ')));
    ends = [() => rmSync(folder, { recursive: true })];
  });
  teardown(async () => {
    for (const end of ends.reverse()) await end();
  });

  /** A host in a window whose folders change, unlike those of a Node program. */
  const openWindow = async (...first: readonly Folder[]): Promise<Window> => {
    const server = await CaseServer.listen(usualAnswers({ version: '2024-11-05', capabilities: {} }));
    const changed = new Emitter<void>();
    let folders = first;
    const log = { log: () => undefined };
    const person = new CasePerson();
    const host = createHost({
      client: { name: 'case', title: 'Case', version: '1' },
      ports: {
        clock: nodeClock,
        ids: nodeIds,
        logs: { host: log, server: () => log },
        storage: memoryStorage(),
        variables: {
          get folders() {
            return folders;
          },
          userHome: folder,
          onDidChangeFolders: changed.event,
          env: () => undefined,
          input: () => Promise.resolve({ kind: 'undeclared' }),
          readFile: () => Promise.reject(new Error('There is none.')),
        },
        connector: new NodeConnector({ demoScript: '' }),
        fileNames: nodeFileNames,
        models: { choose: () => Promise.resolve({ kind: 'failed', reason: 'no_model', message: 'There is none.' }) },
        inputs: { ...person.ports, schemaChecker: { check: () => Promise.resolve({ kind: 'ok' }) } },
        consent: { ask: () => Promise.resolve('dontStart') },
      },
    });
    ends.push(
      () => server.close(),
      () => host.close(),
      () => changed.dispose(),
    );
    const entry = {
      command: process.execPath,
      args: [CASE_SERVER, String(server.port)],
      cwd: folder,
      protocol: { era: 'legacy' },
    };
    host.configure({ trusted: true, layers: [{ scope: 'user', servers: { [ID]: entry } }] });
    await host.start(ID);
    return {
      host,
      server,
      open: (...now) => {
        folders = now;
        changed.fire();
      },
    };
  };
  const told = (server: CaseServer): number => server.life.sent('notifications/roots/list_changed').length;

  test('are those of the workspace, as addresses of files', async () => {
    const second = mkdtempSync(join(tmpdir(), 'mcpl-case-'));
    ends.push(() => rmSync(second, { recursive: true }));
    const opened = await openCase({ host: { folders: [folder, second] } });
    ends.push(() => opened.close());
    const [{ params = {} } = {}] = opened.life.sent('initialize');
    assert.deepEqual((params as { readonly capabilities: JsonObject }).capabilities['roots'], { listChanged: true });
    const { result } = (await ask(opened.life, 'roots/list')) as { readonly result: { readonly roots: JsonObject[] } };
    const [first, last] = result.roots;
    assert.deepEqual(result.roots, [
      { uri: first?.['uri'], name: folder.slice(folder.lastIndexOf('/') + 1) },
      { uri: pathToFileURL(second).href, name: second.slice(second.lastIndexOf('/') + 1) },
    ]);
    assert.match(String(first?.['uri']), /^file:\/\/\/.*mcpl%20case%20%C3%BC%20/);
    assert.equal(new URL(String(first?.['uri'])).href, pathToFileURL(folder).href);
    assert.equal(typeof last?.['name'], 'string');
  });

  test('may be those of another system, and a change is announced once to servers with declared roots', async () => {
    const windows = { name: 'docs', path: 'C:\\Users\\A B\\docs' };
    const share = { name: 'share', path: '\\\\nas\\team #1' };
    const { server, open } = await openWindow(windows);
    assert.deepEqual(await ask(server.life, 'roots/list'), {
      result: { roots: [{ uri: 'file:///C:/Users/A%20B/docs', name: 'docs' }] },
    });
    open(windows);
    open(windows, share);
    await server.life.until('notifications/roots/list_changed');
    assert.deepEqual(await ask(server.life, 'roots/list'), {
      result: {
        roots: [
          { uri: 'file:///C:/Users/A%20B/docs', name: 'docs' },
          { uri: 'file://nas/team%20%231', name: 'share' },
        ],
      },
    });
    open();
    assert.deepEqual(await ask(server.life, 'roots/list'), { result: { roots: [] } });
    assert.equal(told(server), 2);
  });

  test('are none in a window without a folder, and no change is reported later', async () => {
    const { server, open } = await openWindow();
    const [{ params } = {}] = server.life.sent('initialize');
    assert.equal('roots' in (params as { readonly capabilities: JsonObject }).capabilities, false);
    assert.equal(((await ask(server.life, 'roots/list'))['error'] as JsonObject)['code'], -32601);
    open({ name: 'a', path: '/a' });
    await ask(server.life, 'ping');
    assert.equal(told(server), 0);
  });

  test('are none in an untrusted workspace, in which no server starts', async () => {
    const opened = await openCase({ start: false, host: { folders: [folder], trusted: false } });
    ends.push(() => opened.close());
    await assert.rejects(opened.host.start(ID), { code: 'NOT_TRUSTED' });
    assert.deepEqual(opened.server.lives, []);
  });
});
