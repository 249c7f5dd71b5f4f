import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import {
  CancellationSource,
  type Elicitor,
  type Host,
  type JsonObject,
  type ResultView,
  type Sampler,
} from '../../src/core/index.ts';
import { descendants, waitUntil } from '../support/processes.ts';

const SERVER = join(import.meta.dirname, 'fixtures', 'modernServer.mjs');

/** Answers every question, and records them. */
class Answering {
  readonly asked: string[] = [];
  readonly elicitor: Elicitor = {
    form: ({ message, form }) => {
      this.asked.push(`form: ${message}`);
      const entered = ({ kind }: { readonly kind: string }): string | boolean =>
        kind === 'boolean' ? true : kind === 'choice' ? '1' : 'blue';
      const values = form.fields.map((field) => [field.id, entered(field)] as const);
      return Promise.resolve({ kind: 'accept', values: Object.fromEntries(values) });
    },
    url: ({ url }) => {
      this.asked.push(`url: ${url}`);
      return Promise.resolve('decline');
    },
    finish: () => Promise.resolve('continue'),
    finished: () => undefined,
  };
  readonly sampler: Sampler = {
    canUseTools: false,
    sample: ({ request }) => {
      this.asked.push(`sample: ${request.messages.length} message`);
      return Promise.resolve({
        kind: 'answered',
        result: {
          role: 'assistant',
          content: [{ type: 'text', text: 'Something.' }],
          model: 'fake',
          stopReason: 'endTurn',
        },
      });
    },
  };
}

interface Served {
  readonly host: Host;
  readonly person: Answering;
  readonly log: string[];
  call(tool: string, args?: JsonObject): Promise<ResultView>;
  /** The received messages, as recorded by the fixture. */
  heard(): readonly { readonly message: JsonObject; readonly headers?: Readonly<Record<string, string>> }[];
  close(): Promise<void>;
}

async function serve(transport: 'stdio' | 'http', folder: string, ...flags: string[]): Promise<Served> {
  const person = new Answering();
  const log: string[] = [];
  const record = join(folder, `${transport}.jsonl`);
  const args = [SERVER, '--record', record, ...flags];
  let child: ChildProcess | undefined;
  let entry: JsonObject = { command: process.execPath, args };
  if (transport === 'http') {
    child = spawn(process.execPath, [...args, '--http', '0'], { stdio: ['ignore', 'pipe', 'ignore'] });
    assert.ok(child.stdout);
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    entry = { url: /http:\S+/.exec(chunk.toString())?.[0] ?? '' };
  }
  const host = createNodeHost({
    servers: { modern: entry },
    folders: [folder],
    onStartQuestion: () => Promise.resolve('start'),
    elicitor: person.elicitor,
    sampler: person.sampler,
    onLog: ({ message }) => log.push(message),
  });
  await host.start('modern');
  await waitUntil('the lists', () => {
    const server = host.server('modern');
    return server?.listing.kind === 'read' && server.listings.prompts.kind === 'read' && server.resources.length > 0;
  });
  return {
    host,
    person,
    log,
    call: (tool, given = {}) => host.callTool({ server: 'modern', tool, args: given, route: 'api' }),
    heard: () =>
      readFileSync(record, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ReturnType<Served['heard']>[number]),
    close: async () => {
      await host.close();
      if (child === undefined) return;
      child.kill();
      await once(child, 'exit');
    },
  };
}

for (const transport of ['stdio', 'http'] as const)
  suite(`A stateless server of another hand, over ${transport}`, function () {
    let folder: string;
    let served: Served;

    setup(async () => {
      folder = mkdtempSync(join(tmpdir(), 'mcpl-stateless-'));
      served = await serve(transport, folder);
    });
    teardown(async () => {
      await served.close();
      rmSync(folder, { recursive: true, force: true });
      assert.deepEqual(descendants(), []);
    });

    test('is found out, listed and called', async () => {
      const state = served.host.server('modern')?.state;
      assert.ok(state?.kind === 'running');
      assert.deepEqual(
        [state.connection.era, state.protocolVersion, state.connection.transport, state.info.name],
        ['modern', '2026-07-28', transport, 'modern-fixture'],
      );
      const server = served.host.server('modern');
      assert.deepEqual(
        server?.prompts.map(({ name }) => name),
        ['greet', 'ask_prompt'],
      );
      assert.deepEqual(
        server.resources.map(({ uri }) => uri),
        ['mem://a', 'mem://b', 'mem://ask'],
      );
      assert.deepEqual(
        server.templates.map(({ uriTemplate }) => uriTemplate),
        ['mem://note/{id}'],
      );
      assert.equal((await served.call('echo', { text: 'héllo' })).modelText, 'héllo');
      assert.deepEqual((await served.call('add', { a: 1, b: 2 })).structured, { sum: 3 });
    });

    test('says with each request who asks, and in headers what is asked', async () => {
      await served.call('echo', { text: 'x' });
      const calls = served.heard().filter(({ message }) => message['method'] === 'tools/call');
      const [first] = calls;
      const params = first?.message['params'] as JsonObject;
      const meta = params['_meta'] as JsonObject;
      assert.equal(meta['io.modelcontextprotocol/protocolVersion'], '2026-07-28');
      assert.ok(meta['io.modelcontextprotocol/clientCapabilities']);
      if (transport === 'stdio') return;
      const { headers = {} } = first ?? {};
      assert.deepEqual(
        [headers['mcp-protocol-version'], headers['mcp-method'], headers['mcp-name'], headers['mcp-session-id']],
        ['2026-07-28', 'tools/call', 'echo', undefined],
      );
    });

    test('repeats the arguments that it wants to have in headers', async () => {
      const result = await served.call('region', { region: 'Zürich' });
      const { header } = JSON.parse(result.modelText) as { readonly header: string | null };
      assert.equal(header, transport === 'http' ? '=?base64?WsO8cmljaA==?=' : null);
    });

    test('asks in rounds, and is answered', async () => {
      assert.equal((await served.call('ask')).modelText, '{"action":"accept","content":{"ok":true}}');
      assert.equal((await served.call('ask_twice')).modelText, 'blue likes blue');
      assert.equal((await served.call('state_only', { rounds: 2 })).modelText, 'done after 2 rounds');
      assert.equal((await served.call('ask_url')).modelText, '{"action":"decline"}');
      const many = JSON.parse((await served.call('ask_many')).modelText) as JsonObject;
      assert.deepEqual(Object.keys(many).sort(), ['folders', 'form', 'model']);
      assert.deepEqual(served.person.asked, [
        'form: Is it all right?',
        'form: What is the name?',
        'form: Which colour?',
        'url: https://example.com/sign-in?x=1',
        'form: Is it right?',
        'sample: 1 message',
      ]);
      const prompt = await served.host.getPrompt('modern', 'ask_prompt', {});
      assert.equal(JSON.stringify(prompt.messages).includes('Greet blue.'), true);
      const { contents } = await served.host.readResource('modern', 'mem://ask');
      assert.deepEqual(
        contents.map((content) => ('text' in content ? content.text : '')),
        ['blue'],
      );
    });

    test('reports progress, and learns that the caller no longer waits', async () => {
      const steps: string[] = [];
      const source = new CancellationSource();
      const slow = { server: 'modern', tool: 'slow', args: { steps: 2, ms: 10 }, route: 'api' } as const;
      const done = await served.host.callTool(slow, { onProgress: ({ message }) => steps.push(message ?? '') });
      assert.equal(done.modelText, 'slow is done');
      assert.deepEqual(steps, ['step 1', 'step 2']);
      const began = new Promise<void>((resolve) => {
        void served.host
          .callTool({ ...slow, args: { steps: 1000, ms: 10 } }, { token: source.token, onProgress: () => resolve() })
          .catch(() => undefined);
      });
      await began;
      source.cancel();
      const cancelled = served.heard().filter(({ message }) => message['method'] === 'notifications/cancelled');
      if (transport === 'http') assert.deepEqual(cancelled, [], 'closing the stream says it');
      await waitUntil('the server hears of it', () => {
        if (transport === 'http') return true;
        return served.heard().some(({ message }) => message['method'] === 'notifications/cancelled');
      });
      assert.equal((await served.call('echo', { text: 'still here' })).modelText, 'still here');
    });

    test('announces changes of its lists and of subscribed resources', async () => {
      // The server reports changes only to an open stream.
      await waitUntil('the host listens', () =>
        served.heard().some(({ message }) => message['method'] === 'subscriptions/listen'),
      );
      await served.call('change_tools');
      await waitUntil('the new tool', () => {
        return served.host.server('modern')?.tools.some(({ tool }) => tool.name === 'extra') === true;
      });
      const heard: string[] = [];
      const watch = served.host.subscribeResource('modern', 'mem://a', (uri) => heard.push(uri));
      await watch.agreed;
      await served.call('change_resource', { uri: 'mem://a', text: 'B' });
      await waitUntil('the change', () => heard.length > 0);
      assert.deepEqual(heard, ['mem://a']);
      watch.dispose();
      await served.call('change_prompts');
      await waitUntil('the new prompt', () => {
        return served.host.server('modern')?.prompts.some(({ name }) => name === 'extra_prompt') === true;
      });
    });

    test('logs only what it is asked to', async () => {
      await served.call('log');
      assert.equal(
        served.log.some((line) => line.includes('at error')),
        false,
      );
      await served.host.setLogLevel('modern', 'warning');
      await served.call('log');
      await waitUntil('the log', () => served.log.some((line) => line.includes('at error')));
      assert.equal(
        served.log.some((line) => line.includes('at info')),
        false,
      );
    });

    test('completes', async () => {
      const { values } = await served.host.complete('modern', {
        reference: { kind: 'prompt', name: 'greet' },
        argument: { name: 'name', value: 'A' },
        settled: {},
      });
      assert.deepEqual(values, ['Ada', 'Alan']);
    });

    if (transport === 'http')
      test('whose streams break is listened to again', async () => {
        const listens = (): number =>
          served.heard().filter(({ message }) => message['method'] === 'subscriptions/listen').length;
        await waitUntil('it listens', () => listens() > 0);
        await served.call('change_tools');
        await waitUntil('the new tool', () => {
          return served.host.server('modern')?.tools.some(({ tool }) => tool.name === 'extra') === true;
        });
        const before = listens();
        await served.call('drop_streams');
        await waitUntil('the stream is there again', () => {
          return listens() > before;
        });
        await served.call('change_tools');
        await waitUntil('the tool is gone', () => {
          return served.host.server('modern')?.tools.some(({ tool }) => tool.name === 'extra') === false;
        });
      });
  });

suite('A stateless server that marks its arguments wrongly', function () {
  test('keeps its other tools', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpl-stateless-'));
    const served = await serve('http', folder, '--bad-headers');
    const names = served.host.server('modern')?.tools.map(({ tool }) => tool.name) ?? [];
    assert.deepEqual(
      names.filter((name) => name.startsWith('bad_')),
      [],
    );
    assert.ok(names.includes('region'));
    assert.ok(served.log.some((line) => line.startsWith('Left out of the tools')));
    await served.close();
    rmSync(folder, { recursive: true, force: true });
  });
});
