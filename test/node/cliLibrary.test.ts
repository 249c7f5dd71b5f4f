import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  collectArguments,
  createHost,
  type Host,
  type HostOptions,
  type LogLine,
  type StartQuestion,
} from '../../src/cli/library.ts';

const fixture = fileURLToPath(new URL('fixtures/modernServer.mjs', import.meta.url));

suite('A host without an editor', () => {
  let folder: string;
  let host: Host;

  setup(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpl-library-'));
  });

  teardown(async () => {
    await host.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(options: HostOptions, id: string): Promise<void> {
    host = createHost(options);
    const listed = new Promise<void>((resolve) => {
      host.onDidChangeServer(({ what }) => what === 'tools' && resolve());
    });
    await host.start(id);
    await listed;
  }

  test('runs a server and calls its tools', async () => {
    const lines: LogLine[] = [];
    const notes = { command: 'mcpl-demo', featureSets: { enabled: ['notes.edit'] } };
    await start({ servers: { notes }, onLog: (line) => lines.push(line) }, 'notes');
    const args = { title: 'Tea' };
    const result = await host.callTool({ server: 'notes', tool: 'add_note', args, route: 'api' });
    assert.equal(result.modelText, 'Added note-1: Tea');
    assert.ok(lines.some((line) => line.server === 'notes' && line.message.startsWith('Demo notes server is ready')));
  });

  test('starts nothing of a workspace unless it is allowed to, and then asks once', async () => {
    const questions: StartQuestion[] = [];
    const options: HostOptions = {
      workspaceServers: { notes: { command: 'mcpl-demo', args: ['${workspaceFolder}'] } },
      folders: [folder],
      storageFile: join(folder, 'store.sqlite'),
    };
    host = createHost(options);
    await assert.rejects(host.start('notes'), { code: 'NOT_APPROVED' });
    await host.close();
    const onStartQuestion: HostOptions['onStartQuestion'] = (question) => {
      questions.push(question);
      return Promise.resolve('start');
    };
    for (let i = 0; i < 2; i++) {
      await start({ ...options, onStartQuestion }, 'notes');
      await host.close();
    }
    assert.deepEqual(
      questions.map(({ reason, target }) => [reason, target]),
      [['first', `mcpl-demo ${folder}`]],
    );
  });

  test('answers what a server asks of the user and of models', async () => {
    const asked: string[] = [];
    const options: HostOptions = {
      servers: { modern: { command: process.execPath, args: [fixture] } },
      // Servers that use roots need a folder.
      folders: [folder],
      elicitor: {
        form: ({ message, form, values }) => {
          asked.push(message);
          const { kind } = collectArguments(form, values);
          return Promise.resolve(kind === 'arguments' ? { kind: 'accept', values } : { kind: 'decline' });
        },
        url: ({ url }) => Promise.resolve(asked.push(url) > 0 ? 'decline' : 'cancel'),
        finish: () => Promise.resolve('cancel'),
        finished: () => undefined,
      },
      sampler: {
        canUseTools: false,
        sample: ({ request }) => {
          asked.push(`at most ${request.maxTokens} tokens`);
          const content = [{ type: 'text', text: 'Ho' }] as const;
          return Promise.resolve({
            kind: 'answered',
            result: { model: 'mine', content, stopReason: undefined },
          });
        },
      },
    };
    await start(options, 'modern');
    const call = async (tool: string): Promise<unknown> => {
      const { modelText } = await host.callTool({ server: 'modern', tool, args: {}, route: 'api' });
      const said: unknown = JSON.parse(modelText);
      return said;
    };
    assert.deepEqual(await call('ask_url'), { action: 'decline' });
    const { form, model } = (await call('ask_many')) as { form: object; model: { content: object } };
    assert.deepEqual(
      [form, model.content],
      [
        { action: 'accept', content: { ok: true } },
        { type: 'text', text: 'Ho' },
      ],
    );
    assert.deepEqual(asked.sort(), ['Is it right?', 'at most 20 tokens', 'https://example.com/sign-in?x=1']);
  });

  test('reaches a server by its URL', async () => {
    const web = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: number; method?: string };
        if (id === undefined) return response.writeHead(request.method === 'POST' ? 202 : 405).end();
        const hello = {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'w', version: '1' },
        };
        const tools = [{ name: request.headers['x-key'], inputSchema: { type: 'object' } }];
        const result = method === 'initialize' ? hello : { tools };
        return response
          .writeHead(200, { 'Content-Type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      });
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    const { port } = web.address() as AddressInfo;
    try {
      const headers = { 'X-Key': 'from-the-header' };
      await start({ servers: { web: { url: `http://127.0.0.1:${port}/mcp`, headers } } }, 'web');
      assert.deepEqual(
        host.server('web')?.tools.map(({ tool }) => tool.name),
        ['from-the-header'],
      );
      await host.close();
    } finally {
      web.closeAllConnections();
      web.close();
    }
  });
});
