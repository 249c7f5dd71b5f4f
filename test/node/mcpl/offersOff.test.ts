import assert from 'node:assert/strict';
import { isHostError } from '../../../src/core/index.ts';
import { ID, mcplCases, set } from './mcplCase.ts';
import { FILES_SET, LISTS, scopeCases } from './scopeCase.ts';

async function outcome(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'done',
    (error: unknown) => (isHostError(error) ? error.code : String(error)),
  );
}

const NOTE = { resources: [{ uri: 'memo://notes/1', name: 'One', _meta: { 'mcpl/featureSet': 'notes' } }] };
const READ = ({ params }: { readonly params: { readonly uri?: unknown } }): never =>
  ({ contents: [{ uri: params.uri, text: 'text' }] }) as never;

mcplCases('what a set that is off offers beside tools', (open) => {
  test('is not listed, read, subscribed to, or completed on any route; another set is not concerned', async () => {
    const opened = await open({
      server: {
        sets: { notes: set('tools'), free: set('tools') },
        capabilities: { resources: { subscribe: true }, prompts: {}, completions: {} },
        entry: { featureSets: { enabled: ['free'] } },
        answers: {
          'resources/list': () => ({
            resources: [...NOTE.resources, { uri: 'memo://free/1', name: 'Free', _meta: { featureSet: 'free' } }],
          }),
          'resources/templates/list': () => ({
            resourceTemplates: [{ uriTemplate: 'memo://notes/{id}', name: 'Any', featureSet: 'notes' }],
          }),
          'prompts/list': () => ({ prompts: [{ name: 'sum', _meta: { featureSet: 'notes' } }, { name: 'open' }] }),
          'resources/read': READ,
          'resources/subscribe': () => ({}),
          'prompts/get': () => ({ messages: [] }),
          'completion/complete': () => ({ completion: { values: ['a'] } }),
        },
      },
    });
    const { host } = opened;
    await host.refresh(ID);
    const listed = (): readonly unknown[] => {
      const { resources, templates, prompts } = opened.snapshot();
      return [resources.map(({ uri }) => uri), templates.length, prompts.map(({ name }) => name)];
    };
    assert.deepEqual(listed(), [['memo://free/1'], 0, ['open']]);
    const argument = { name: 'id', value: '' };
    const tried = async (): Promise<readonly string[]> => {
      const uris = ['memo://notes/1', 'MEMO://notes/%31', 'memo://notes/2', 'memo://free/1', 'memo://elsewhere'];
      const template = { kind: 'template', uriTemplate: 'memo://notes/{id}' } as const;
      const watch = host.subscribeResource(ID, 'memo://notes/1', () => undefined);
      const answers = [
        ...uris.map((uri) => host.readResource(ID, uri)),
        watch.agreed,
        host.getPrompt(ID, 'sum', {}),
        host.getPrompt(ID, 'open', {}),
        host.complete(ID, { reference: { kind: 'prompt', name: 'sum' }, argument, settled: {} }),
        host.complete(ID, { reference: template, argument, settled: {} }),
      ];
      const codes = await Promise.all(answers.map(outcome));
      watch.dispose();
      return codes;
    };
    const off = 'FEATURE_SET_OFF';
    assert.deepEqual(await tried(), [off, off, off, 'done', 'done', off, off, 'done', off, off]);
    assert.deepEqual(
      [opened.life().sent('resources/read').length, opened.life().sent('completion/complete').length],
      [2, 0],
    );
    await opened.enable('notes');
    await opened.until('the lists', () => opened.snapshot().resources.length === 2);
    assert.deepEqual(new Set(await tried()), new Set(['done']));
  });
});

scopeCases('resources that are files', (open) => {
  test('are judged by the scope lists like an argument of a tool', async () => {
    const opened = await open({
      files: { 'src/a.ts': 'a', 'secrets/k': 'k', '../out/x': 'x' },
      server: {
        sets: { files: FILES_SET },
        capabilities: { resources: {} },
        answers: { 'resources/read': READ },
        entry: { featureSets: { enabled: ['files'] }, scopes: { '*': LISTS } },
      },
    });
    const read = (path: string): Promise<string> =>
      outcome(opened.mcpl.host.readResource(ID, opened.folders.real(path)));
    assert.deepEqual(
      [
        await read('file:///ws/src/a.ts'),
        await read('file:///ws/secrets/k'),
        await read('FILE:///ws/src/%2E%2E/secrets/k'),
        await read('memo://secrets'),
      ],
      ['done', 'SCOPE_DENIED', 'SCOPE_DENIED', 'done'],
    );
    opened.person.push('deny', 'once');
    assert.equal(await read('file:///out/x'), 'SCOPE_DENIED');
    assert.equal(await read('file:///etc/hosts'), 'done');
    assert.equal(opened.asked.length, 2);
    assert.equal(opened.mcpl.life().sent('resources/read').length, 3);
  });
});
