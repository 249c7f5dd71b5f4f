import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { parse, type ParseError } from 'jsonc-parser';
import { createHost, type Host, type HostOptions, type JsonObject, type Models } from '../../src/cli/library.ts';

const sample = new URL('../sample/workspace/', import.meta.url);
const DEMOS = ['notes', 'memory', 'compliance', 'files', 'state'];

/** The steps of the sample's README, with a model that repeats its input. */
suite('The sample workspace', () => {
  let host: Host;
  const prompts: string[] = [];

  const entries = (text: string): Readonly<Record<string, JsonObject>> => {
    const problems: ParseError[] = [];
    const settings = parse(text, problems) as { readonly 'mcpl.servers': Readonly<Record<string, JsonObject>> };
    assert.deepEqual(problems, []);
    return settings['mcpl.servers'];
  };

  const models: Models = {
    choose: () =>
      Promise.resolve({
        kind: 'model',
        model: {
          facts: { id: 'echo', vendor: 'test', contextWindow: 10_000, capabilities: [] },
          count: (text) => Promise.resolve(text.length),
          run: ({ messages }, onText) => {
            const text = messages.flatMap(({ content }) =>
              content.map((block) => (block.type === 'text' ? block.text : '')),
            );
            prompts.push(text.join('\n'));
            onText(text.at(-1) ?? '');
            return Promise.resolve({ kind: 'ended', finishReason: 'end_turn' });
          },
        },
      }),
  };

  async function open(servers: HostOptions['servers']): Promise<void> {
    prompts.length = 0;
    host = createHost({ servers, models });
    const changes = new EventEmitter();
    host.onDidChangeServer(() => changes.emit('any'));
    await Promise.all(DEMOS.map((id) => host.start(id)));
    const isReady = (id: string): boolean => host.server(id)?.mcpl !== undefined;
    while (!DEMOS.every(isReady)) await once(changes, 'any');
  }

  teardown(() => host.close());

  function ask(userMessage: string): ReturnType<Host['runTurn']> {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: userMessage }] }];
    return host.runTurn({ conversationId: 'c', turnIndex: 0, userMessage, messages, justification: 'A test.' });
  }

  const text = readFileSync(new URL('.vscode/settings.json', sample), 'utf8');

  test('has nothing on, and its servers offer their feature sets', async () => {
    const servers = entries(text);
    assert.deepEqual(
      Object.values(servers).filter(({ enabled }) => enabled),
      [],
    );
    await open(Object.fromEntries(DEMOS.map((id) => [id, servers[id]!])));
    assert.deepEqual(
      DEMOS.map((id) => {
        const { isUndecided, sets } = host.server(id)!.mcpl!;
        return `${id} ${isUndecided}: ${sets.map(({ set, state }) => `${set.name} ${state}`).join(', ')}`;
      }),
      [
        'notes true: notes.edit disabled',
        'memory true: memory.retrieval disabled, memory.extraction disabled, memory.consolidation disabled, memory.proactive disabled',
        'compliance true: compliance.redaction disabled',
        'files true: files.edit disabled',
        'state true: state.book disabled, state.ledger disabled',
      ],
    );
    const { injectedBy, modifiedBy } = await ask('My key is sk-1234567890abcdef.');
    assert.deepEqual([injectedBy, modifiedBy], [[], []]);
  });

  test('has settings that are right also with every proposal in them', () => {
    const servers = entries(text.replaceAll(/^( *)\/\/ (?="\w+": \{)/gm, '$1'));
    assert.deepEqual(Object.keys(servers['memory']!), ['enabled', 'push', 'hooks', 'inference', 'command', 'args']);
    assert.deepEqual(Object.keys(servers['compliance']!), ['enabled', 'hooks', 'command', 'args']);
  });

  test('does what its README says', async () => {
    const featureSets = { enabled: ['*'] };
    const servers = entries(text);
    await open(Object.fromEntries(DEMOS.map((id) => [id, { ...servers[id]!, featureSets }])));
    const arrived = new Promise<string>((resolve) => {
      host.events.onDidArrive(([event]) => resolve(JSON.stringify(event?.content)));
    });

    await ask('My name is Ada. Remind me in 1 second to stretch.');
    const { injectedBy } = await ask('What is my name?');
    assert.deepEqual(injectedBy, [{ server: 'memory', namespace: 'memory', position: 'beforeUser' }]);
    assert.match(prompts.at(-1) ?? '', /<context server="memory" namespace="memory">\n.*\n- The user's name is Ada\./);

    const redacted = await ask('Repeat this: my key is sk-1234567890abcdef, write to ada@example.org.');
    assert.equal(redacted.text, 'Repeat this: my key is [REDACTED], write to [REDACTED].');
    assert.deepEqual(redacted.modifiedBy, ['compliance']);

    const asked = prompts.length;
    await ask('I prefer tea.');
    await ask('Remember that the key is under the mat.');
    const progress: string[] = [];
    const result = await host.callTool(
      { server: 'memory', tool: 'consolidate_memories', args: {}, route: 'api' },
      { onProgress: ({ message }) => progress.push(message ?? '') },
    );
    assert.match(result.modelText, /- The user prefers tea\.\n[^]*\(3 memories, summarized by echo\)/);
    assert.equal(progress.length, 1);
    assert.equal(prompts.length, asked + 3);

    assert.match(await arrived, /Reminder: stretch/);
    const audit = await host.audit.list({ limit: 100 });
    const operations = new Set(audit.map(({ server, operation, outcome }) => `${server} ${operation} ${outcome}`));
    assert.deepEqual([...operations].filter((line) => !line.includes('featureSets/')).sort(), [
      // The user's own turns.
      ' chat/turn success',
      'compliance context/afterInference success',
      'memory context/afterInference success',
      'memory context/beforeInference success',
      'memory inference/request success',
      'memory model/info success',
      'memory push/event success',
      'memory tools/call success',
    ]);
  });
});
