import assert from 'node:assert/strict';
import { Deferred, isHostError } from '../../../src/core/index.ts';
import { failWith } from '../../support/scriptedServer.ts';
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
    const off1 = 'The resource is off with its feature set "notes".';
    const prompt = 'sum: The prompt is off with its feature set "notes".';
    assert.deepEqual(
      [...(await opened.audit('resources/read', 'resources/subscribe', 'prompts/get', 'completion/complete'))].sort(),
      [
        `case completion/complete notes refused: memo://notes/{id}: ${off1}`,
        `case completion/complete notes refused: ${prompt}`,
        `case prompts/get notes refused: ${prompt}`,
        `case resources/read notes refused: MEMO://notes/%31: ${off1}`,
        `case resources/read notes refused: memo://notes/1: ${off1}`,
        `case resources/read notes refused: memo://notes/2: ${off1}`,
        `case resources/subscribe notes refused: memo://notes/1: ${off1}`,
      ],
    );
    await Promise.all(Array.from({ length: 200 }, () => outcome(host.readResource(ID, 'memo://notes/1'))));
    assert.equal((await opened.audit('resources/read')).length, 60);
    await opened.enable('notes');
    await opened.until('the lists', () => opened.snapshot().resources.length === 2);
    assert.deepEqual(new Set(await tried()), new Set(['done']));
  });
});

mcplCases('a template of a set that is off', (open) => {
  test('is neither completed nor read by who asks first, also where the resources cannot be listed', async () => {
    const release = new Deferred<undefined>();
    const opened = await open({
      server: {
        sets: { notes: set('tools'), free: set('tools') },
        capabilities: { resources: {}, completions: {} },
        entry: { featureSets: { enabled: ['free'] } },
        answers: {
          'resources/list': () => failWith(-32603, 'broken'),
          'resources/templates/list': async () => {
            await release.promise;
            return { resourceTemplates: [{ uriTemplate: 'memo://notes/{id}', name: 'Any', featureSet: 'notes' }] };
          },
          'resources/read': READ,
          'completion/complete': () => ({ completion: { values: ['a'] } }),
        },
      },
    });
    const { host } = opened;
    const reference = { kind: 'template', uriTemplate: 'memo://notes/{id}' } as const;
    const asked = [
      host.complete(ID, { reference, argument: { name: 'id', value: '' }, settled: {} }),
      host.readResource(ID, 'memo://notes/2'),
    ];
    const codes = Promise.all(asked.map(outcome));
    await opened.answerTo('ping');
    release.resolve(undefined);
    assert.deepEqual(await codes, ['FEATURE_SET_OFF', 'FEATURE_SET_OFF']);
  });
});

mcplCases('a subscription of a set that goes off', (open) => {
  test('is taken back, also if the resource is listed no more, and made again when the set is on', async () => {
    let isListed = true;
    const free = { uri: 'memo://free/1', name: 'Free', _meta: { featureSet: 'free' } };
    const opened = await open({
      server: {
        sets: { notes: set('tools'), free: set('tools'), more: set('tools') },
        capabilities: { resources: { subscribe: true } },
        entry: { featureSets: { enabled: ['free', 'notes'] } },
        answers: {
          'resources/list': () => ({ resources: isListed ? [...NOTE.resources, free] : [free] }),
          'resources/templates/list': () => ({ resourceTemplates: [] }),
          'resources/subscribe': () => ({}),
          'resources/unsubscribe': () => ({}),
        },
      },
    });
    const { host } = opened;
    await host.refresh(ID);
    const changed: string[] = [];
    const watches = ['memo://notes/1', 'memo://free/1'].map((uri) =>
      host.subscribeResource(ID, uri, (each) => changed.push(each)),
    );
    await Promise.all(watches.map(({ agreed }) => agreed));
    const told = (): readonly string[] =>
      opened
        .heard()
        .filter((line) => line.includes('subscribe '))
        .map((line) => line.replace(/^.*(?=resources)/, ''));
    const update = async (): Promise<void> => {
      for (const uri of ['memo://notes/1', 'memo://free/1'])
        await opened.life().notify('notifications/resources/updated', { uri });
      await opened.answerTo('ping');
    };
    const first = ['resources/subscribe {"uri":"memo://notes/1"}', 'resources/subscribe {"uri":"memo://free/1"}'];
    assert.deepEqual(told(), first);
    isListed = false;
    await opened.disable('notes');
    const taken = [...first, 'resources/unsubscribe {"uri":"memo://notes/1"}'];
    await opened.until('the end of the subscription', () => told().length === 3);
    await host.refresh(ID);
    await opened.enable('more');
    await update();
    assert.deepEqual([told(), changed], [taken, ['memo://free/1']]);
    isListed = true;
    await opened.enable('notes');
    await opened.until('the new subscription', () => told().length === 4);
    await update();
    assert.deepEqual(
      [told(), changed],
      [
        [...taken, 'resources/subscribe {"uri":"memo://notes/1"}'],
        ['memo://free/1', 'memo://notes/1', 'memo://free/1'],
      ],
    );
    watches[0]?.dispose();
    await opened.until('the end', () => told().length === 5);
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
