import assert from 'node:assert/strict';
import { type CancellationToken, Deferred, type JsonObject, type SamplingOutcome } from '../../../src/core/index.ts';
import { CASE_SERVER, CaseServer } from '../cases/caseServer.ts';
import { CasePerson } from '../cases/casePerson.ts';
import {
  CaseModel,
  ID,
  type McplCase,
  mcplCases,
  type McplCaseOptions,
  NO_ANSWER,
  pushOf,
  set,
  tool,
} from './mcplCase.ts';

const never = new Promise<never>(() => undefined);
const STOPPING = 'error -32000 stopping';
const FORM = { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
const PROMPT = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 10 };
const QUESTION = { featureSet: 'think', messages: [{ role: 'user', content: 'Hi' }] };
const ELEVATION = { featureSet: 'files', scope: { label: '/etc/hosts', payload: { path: '/etc/hosts' } } };
const STATE = { featureSet: 'notes', checkpoint: 'late', parent: null, data: {} };
const EVERY: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': FORM,
  'sampling/createMessage': PROMPT,
  'inference/request': QUESTION,
  'scope/elevate': ELEVATION,
  'push/event': pushOf('alerts', 'late'),
  'state/update': STATE,
  'model/info': {},
  'roots/list': {},
  'channels/register': { channels: [{ id: 'c', type: 'text', label: 'C' }] },
  'channels/incoming': { messages: [] },
  'no/suchMethod': {},
};

/** A server that uses everything, with a user and a model that do not answer. */
class Stage {
  readonly person = new CasePerson();
  readonly model = new CaseModel();
  readonly modelTokens: CancellationToken[] = [];
  readonly options: McplCaseOptions;

  constructor(more: { readonly push?: string } = {}) {
    this.person.onForm = () => never;
    this.person.onPrompt = (): Promise<SamplingOutcome> => never;
    this.model.says = (_, token) => {
      this.modelTokens.push(token);
      return never;
    };
    this.options = {
      model: this.model,
      start: false,
      host: { ...this.person.ports, folders: [import.meta.dirname] },
      server: {
        sets: {
          alerts: set('pushEvents'),
          think: set('inferenceRequest'),
          files: { ...set('tools'), scoped: true },
          notes: { ...set('tools'), rollback: true, hostState: true },
        },
        mcpl: { pushEvents: true, inferenceRequest: { streaming: true } },
        tools: [tool('write_note', { _meta: { featureSet: 'notes' } })],
        entry: { featureSets: { enabled: ['*'] }, ...(more.push !== undefined && { push: { alerts: more.push } }) },
        answers: { 'tools/call': () => NO_ANSWER },
      },
    };
  }

  /** Over stdio, the server continues after the end of its input. */
  static async begin(open: (options: McplCaseOptions) => Promise<McplCase>, stage: Stage): Promise<McplCase> {
    const opened = await open(stage.options);
    opened.host.approvals.onDidAsk(() => undefined);
    const peer = opened.peer();
    if (peer instanceof CaseServer) opened.configure({ args: [CASE_SERVER, String(peer.port), '--ignore-stdin-end'] });
    await opened.start();
    return opened;
  }

  async openAll(opened: McplCase): Promise<void> {
    const life = opened.life();
    await life.request('form', 'elicitation/create', FORM);
    await life.request('prompt', 'sampling/createMessage', PROMPT);
    await life.request('model', 'inference/request', QUESTION);
    await life.request('scope', 'scope/elevate', ELEVATION);
    await opened.until(
      'that all is shown',
      () =>
        this.person.forms.length + this.person.prompts.length + this.modelTokens.length === 3 &&
        opened.host.approvals.pending().length === 1,
    );
  }
}

const OPEN = ['form', 'prompt', 'model', 'scope'];
const ENDS: Readonly<Record<string, (opened: McplCase) => Promise<void> | void>> = {
  'a person stops it': (opened) => opened.host.stop(ID),
  'a person restarts it': (opened) => opened.host.restart(ID),
  'its entry is removed': (opened) => opened.host.configure({ trusted: true, layers: [] }),
  'its entry is disabled': (opened) => opened.configure({ enabled: false }),
  'trust ends': (opened) =>
    opened.host.configure({ trusted: false, layers: [{ scope: 'user', servers: opened.servers }] }),
};

mcplCases('a server being stopped', (open, over) => {
  for (const [how, end] of Object.entries(ENDS))
    test(`when ${how}, gets -32000 for all its requests, and every question is withdrawn`, async () => {
      const stage = new Stage();
      const opened = await Stage.begin(open, stage);
      opened.configure({ enabled: true });
      const life = opened.life();
      await stage.openAll(opened);
      const ending = end(opened);
      const withdrawn = stage.person.tokens.map((token) => token.isCancellationRequested);
      assert.deepEqual([withdrawn, opened.host.approvals.pending().length], [[true, true], 0]);
      await opened.until('the end of the model run', () => stage.modelTokens[0]?.isCancellationRequested === true);
      const answers = await Promise.all(OPEN.map(async (id) => opened.answerText(await life.answer(id))));
      assert.deepEqual(answers, [STOPPING, STOPPING, STOPPING, STOPPING]);
      await ending;
    });

  test('keeps an event that was accepted, and the turn that it began ends', async () => {
    const stage = new Stage({ push: 'infer' });
    const opened = await Stage.begin(open, stage);
    assert.equal(await opened.push('alerts', 'e-1'), '{"accepted":true,"inferenceId":"inf#1"}');
    await opened.until('that the model is asked', () => stage.modelTokens.length === 1);
    await opened.host.stop(ID);
    await opened.until('the end of the turn', () => opened.events()[0]?.includes('failed') === true);
    const stopped = '"It was stopped before a model had answered. Ask again."';
    const event = `case alerts e-1 at 2026-02-03T10:00:00Z, "Event e-1.", unread, inf#1, failed, ${stopped}`;
    assert.deepEqual([opened.events(), stage.modelTokens[0]?.isCancellationRequested], [[event], true]);
  });

  test('one set that is switched off: its question and its model run end at once, those of other sets go on', async () => {
    const stage = new Stage();
    const opened = await Stage.begin(open, stage);
    await stage.openAll(opened);
    await opened.disable('think', 'files');
    await opened.until('the end of the model run', () => stage.modelTokens[0]?.isCancellationRequested === true);
    assert.deepEqual([opened.host.approvals.pending(), stage.person.tokens.length], [[], 2]);
    assert.deepEqual(
      [opened.answerText(await opened.life().answer('model')), opened.answerText(await opened.life().answer('scope'))],
      [
        'error -32001 Feature set not enabled {"featureSet":"think","canEnable":true}',
        '{"approved":false,"reason":"Something changed while it was being decided."}',
      ],
    );
    assert.deepEqual(
      stage.person.tokens.map((token) => token.isCancellationRequested),
      [false, false],
    );
  });

  if (over === 'stdio') {
    test('has no effect by anything that it sends after that', async () => {
      const stage = new Stage();
      const opened = await Stage.begin(open, stage);
      const life = opened.life();
      const before = await opened.audit();
      const stopping = opened.host.stop(ID);
      await opened.until('the end of its input', () => life.events.some(({ event }) => event === 'stdin ended'));
      for (const [method, params] of Object.entries(EVERY)) await life.request(`late ${method}`, method, params);
      await life.notify('push/event', pushOf('alerts', 'noted'));
      await life.notify('featureSets/changed', { added: { more: set('pushEvents') }, removed: ['alerts'] });
      await life.notify('notifications/message', { level: 'error', data: 'The last words.' });
      await opened.logged(/The last words/);
      const { forms, prompts } = stage.person;
      assert.deepEqual([forms, prompts, stage.model.asked, opened.host.approvals.pending()], [[], [], [], []]);
      assert.deepEqual([opened.events(), opened.arrived], [[], []]);
      assert.deepEqual(opened.sets().length, 4);
      life.exit(0);
      await stopping;
      assert.deepEqual(await opened.audit(), before);
      await opened.host.lineages.loaded();
      const lineages = opened.host.lineages.list();
      assert.deepEqual(lineages, []);
    });

    test('gives results and states of calls that were sent before, and they count', async () => {
      const stage = new Stage();
      const opened = await Stage.begin(open, stage);
      const life = opened.life();
      const calling = opened.call('write_note');
      const { id } = await life.until('tools/call');
      const stopping = opened.host.stop(ID);
      await opened.until('the end of its input', () => life.events.some(({ event }) => event === 'stdin ended'));
      const state = { checkpoint: 'c1', parent: null, data: { notes: ['a'] } };
      await life.say({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'Written.' }], state } });
      assert.equal((await calling).isError, false);
      life.exit(0);
      await stopping;
      await opened.host.lineages.loaded();
      await opened.until('the lineage', () => opened.host.lineages.list().length > 0);
      const [lineage] = opened.host.lineages.list();
      assert.deepEqual([lineage?.featureSet, lineage?.count, lineage?.head?.checkpoint], ['notes', 1, 'c1']);
    });

    test('is refused before its input ends: an event on its way is stored and answered, or neither', async () => {
      const stage = new Stage();
      const opened = await Stage.begin(open, stage);
      const life = opened.life();
      const sent = 100;
      const flood = Array.from({ length: sent }, (_, index) => `e-${index}`);
      const said = life.say(
        ...flood.map((id) => ({ jsonrpc: '2.0', id, method: 'push/event', params: pushOf('alerts', id) })),
      );
      const arrived = new Deferred<void>();
      opened.host.events.onDidChange(() => arrived.resolve());
      await Promise.race([said, arrived.promise]);
      await opened.host.stop(ID);
      const answers = new Map(life.heard.map(({ message }) => [message['id'], message]));
      const kept = new Set(opened.host.events.list().map(({ eventId }) => eventId));
      const lost = flood.filter((id) => answers.get(id)?.['result'] !== undefined && !kept.has(id));
      const wrong = flood.filter((id) => answers.get(id)?.['error'] !== undefined && kept.has(id));
      assert.deepEqual([lost, wrong], [[], []]);
    });
  }
});
