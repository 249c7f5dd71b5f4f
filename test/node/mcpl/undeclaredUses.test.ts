import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/core/index.ts';
import { ID, type McplCase, mcplCases, type McplScript, pushOf, set, tool } from './mcplCase.ts';

const ACCEPTED = '{"accepted":true}';

/** The answer to an undeclared use. */
function refusal(featureSet: string, use: string, isNewest = false): string {
  const explanation = `The feature set "${featureSet}" does not declare "${use}" in its "uses".`;
  const data = { featureSet, reason: 'undeclaredUse', use, explanation };
  return isNewest
    ? `error -32002 Capability not declared ${JSON.stringify({ ...data, capability: use })}`
    : `error -32001 Use not declared ${JSON.stringify({ ...data, canEnable: use === 'pushEvents' })}`;
}

const REFUSED = refusal('beat', 'pushEvents');

function beating(more: Partial<McplScript> = {}): McplScript {
  return { sets: { beat: set('tools') }, entry: { featureSets: { enabled: ['*'] } }, ...more };
}

/** A user whose answers the test gives. */
function listening(opened: McplCase): string[] {
  const asked: string[] = [];
  opened.host.alsoEvents.onDidAsk(({ server, featureSet }) => asked.push(`${server} ${featureSet}`));
  return asked;
}

mcplCases('uses that a set does not declare', (open) => {
  test('are refused with the reason, and what the set declares is not', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const opened = await open({
      server: {
        sets: {
          think: set('inferenceRequest'),
          push: set('pushEvents'),
          tools: set('tools'),
          files: { ...set('pushEvents'), scoped: true },
        },
        entry: { featureSets: { enabled: ['*'] } },
      },
    });
    const infer = (featureSet: string): Promise<string> =>
      opened.answerTo('inference/request', { featureSet, messages });
    assert.match(await infer('think'), /^\{"content":"The answer\."/);
    assert.deepEqual(
      [await infer('push'), await infer('tools'), await opened.push('think', 'e-1'), await opened.push('tools', 'e-2')],
      [
        refusal('push', 'inferenceRequest'),
        refusal('tools', 'inferenceRequest'),
        refusal('think', 'pushEvents'),
        refusal('tools', 'pushEvents'),
      ],
    );
    assert.equal(await opened.push('push', 'e-3'), ACCEPTED);
    const scope = { label: '/etc/hosts' };
    assert.deepEqual(
      [
        await opened.answerTo('scope/elevate', { featureSet: 'push', scope }),
        await opened.answerTo('state/update', { featureSet: 'push', checkpoint: 'c', parent: null }),
      ],
      [
        'error -32602 The feature set "push" is not declared as scoped. {"field":"featureSet"}',
        'error -32602 The feature set "push" is not declared with state. {"field":"featureSet"}',
      ],
    );
    assert.equal(opened.model.asked.length, 1);
    assert.deepEqual(
      (await opened.audit('inference/request', 'push/event')).map((line) => line.replace(/ inf#.*$/, '')),
      [
        'case inference/request think success',
        'case inference/request push refused: Use not declared',
        'case inference/request tools refused: Use not declared',
        'case push/event think refused: Use not declared',
        'case push/event tools refused: Use not declared',
        'case push/event push success: event e-3',
      ],
    );
  });

  test('wait for the user if they are events: the first one only, and it is answered with the choice', async () => {
    const opened = await open({ server: beating() });
    const asked = listening(opened);
    const life = opened.life();
    await life.request('first', 'push/event', pushOf('beat', 'e-1'));
    await opened.until('the question', () => asked.length === 1);
    assert.equal(opened.snapshot().mcpl?.sets[0]?.alsoEvents, 'asking');
    assert.deepEqual([await opened.push('beat', 'e-2'), await opened.push('beat', 'e-3')], [REFUSED, REFUSED]);
    assert.equal(opened.host.alsoEvents.choose(ID, 'beat', true), true);
    assert.equal(opened.answerText(await life.answer('first')), ACCEPTED);
    assert.deepEqual([await opened.push('beat', 'e-4'), asked], [ACCEPTED, ['case beat']]);
    assert.deepEqual(
      opened.host.events.list().map(({ eventId }) => eventId),
      ['e-4', 'e-1'],
    );
    const infer = { featureSet: 'beat', messages: [{ role: 'user', content: 'Hi' }] };
    assert.equal(await opened.answerTo('inference/request', infer), refusal('beat', 'inferenceRequest'));
    opened.host.alsoEvents.choose(ID, 'beat', false);
    assert.deepEqual(
      [await opened.push('beat', 'e-5'), opened.snapshot().mcpl?.sets[0]?.alsoEvents],
      [REFUSED, 'refused'],
    );
  });

  test('are refused without waiting if there is no user to ask, or the event is malformed', async () => {
    const opened = await open({ server: beating() });
    assert.equal(await opened.push('beat', 'e-1'), REFUSED);
    const asked = listening(opened);
    assert.match(await opened.push('beat', 'e-2', { timestamp: 7 }), /^error -32602 /);
    assert.deepEqual(asked, []);
    assert.equal(opened.host.alsoEvents.choose(ID, 'beat', true), true);
    assert.deepEqual([await opened.push('beat', 'e-3'), asked], [ACCEPTED, []]);
  });

  test('are refused when the set is switched off or the server is stopped meanwhile', async () => {
    for (const [end, expected] of [
      [(opened: McplCase) => opened.disable('beat'), REFUSED],
      [(opened: McplCase) => opened.host.stop(ID), 'error -32000 stopping'],
    ] as const) {
      const opened = await open({ server: beating() });
      const asked = listening(opened);
      const life = opened.life();
      await life.request('first', 'push/event', pushOf('beat', 'e-1'));
      await opened.until('the question', () => asked.length === 1);
      const ending = end(opened);
      assert.equal(opened.answerText(await life.answer('first')), expected);
      await ending;
      assert.deepEqual([opened.host.alsoEvents.choose(ID, 'beat', true), opened.events()], [false, []]);
    }
  });

  test('are kept with the form of the set: another form asks again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mcpl-uses-'));
    try {
      const script = { sets: { beat: set('tools') } as JsonObject };
      const server = beating({
        answers: {
          initialize: () => ({
            protocolVersion: '2025-06-18',
            capabilities: { tools: {}, experimental: { mcpl: { version: '0.4', featureSets: script.sets } } },
            serverInfo: { name: 'case', version: '1' },
          }),
        },
      });
      const opened = await open({ server, host: { storageFile: join(folder, 'mcpl.sqlite') } });
      opened.host.alsoEvents.choose(ID, 'beat', true);
      assert.equal(await opened.push('beat', 'e-1'), ACCEPTED);
      await opened.reopen();
      await opened.start();
      assert.equal(await opened.push('beat', 'e-2'), ACCEPTED);
      script.sets = { beat: set('tools', 'inferenceRequest') };
      await opened.host.restart(ID);
      await opened.enable('beat');
      assert.equal(await opened.push('beat', 'e-3'), REFUSED);
      assert.equal(opened.snapshot().mcpl?.sets[0]?.alsoEvents, 'open');
      await opened.host.close();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('are refused by the code of MCPL 0.5 without a question, if the server announces it', async () => {
    const opened = await open({
      server: beating({
        mcpl: { version: '0.5' },
        sets: { beat: set('tools'), part: set('inferenceRequest.streaming', 'pushEvents') },
        answers: { 'featureSets/update': () => ({ accepted: true }) },
      }),
    });
    const asked = listening(opened);
    assert.equal(await opened.push('beat', 'e-1'), refusal('beat', 'pushEvents', true));
    opened.host.alsoEvents.choose(ID, 'beat', true);
    assert.equal(await opened.push('beat', 'e-2'), refusal('beat', 'pushEvents', true));
    assert.deepEqual([await opened.push('part', 'e-3'), asked], [ACCEPTED, []]);
  });

  test('are refused with the whole set where MCPL 0.5 has no such use, until the settings name an older version', async () => {
    const opened = await open({
      server: {
        mcpl: { version: '0.5' },
        sets: {
          beat: set('tools', 'pushEvents', 'stateUpdate'),
          idle: { description: 'Uses nothing.', uses: [] },
          plain: set('tools', 'pushEvents'),
        },
        tools: [tool('strike', { _meta: { featureSet: 'beat' } }), tool('look', { _meta: { featureSet: 'plain' } })],
        answers: {
          'featureSets/update': () => ({ accepted: true }),
          'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
        },
        entry: { featureSets: { enabled: ['*'] } },
      },
    });
    const asked = listening(opened);
    const NO_SUCH_USE = 'MCPL 0.5 has no use "stateUpdate" (invalid_uses). Set "protocol.mcpl" to "0.4" to accept it.';
    assert.deepEqual(opened.sets(), [
      `beat invalid, notify, ${NO_SUCH_USE}, tools strike`,
      'idle invalid, notify, It declares no uses, which MCPL 0.5 does not allow (invalid_uses).',
      'plain enabled, notify, tools look',
    ]);
    await opened.enable('beat', 'idle');
    const told = opened.life().sent('featureSets/update').at(-1)?.['params'];
    assert.deepEqual(told, {
      enabled: ['plain'],
      disabled: ['beat', 'idle'],
      effectiveCapabilities: ['pushEvents', 'tools'],
    });
    const off = (name: string): string =>
      `error -32001 Feature set not enabled {"featureSet":"${name}","canEnable":false}`;
    assert.deepEqual(
      [await opened.push('beat', 'e-1'), await opened.push('idle', 'e-2'), await opened.push('plain', 'e-3')],
      [off('beat'), off('idle'), ACCEPTED],
    );
    assert.deepEqual([opened.offered(), asked], [['look'], []]);
    await assert.rejects(opened.call('strike'), { code: 'FEATURE_SET_OFF' });
    assert.deepEqual(opened.life().sent('tools/call'), []);

    opened.configure({ protocol: { era: 'legacy', mcpl: '0.4' } });
    await opened.until('the restart', () => opened.offered().length === 2);
    assert.deepEqual(opened.sets(), [
      'beat enabled, notify, tools strike',
      'idle enabled, notify',
      'plain enabled, notify, tools look',
    ]);
    assert.equal((await opened.call('strike')).modelText, 'done');
  });

  test('are streams of a model and facts about it since MCPL 0.5; before it one word declares both', async () => {
    const messages = [{ role: 'user', content: 'Hi' }];
    const sets = {
      plain: set('inferenceRequest'),
      whole: set('inferenceRequest', 'inferenceRequest.streaming'),
      part: set('inferenceRequest.streaming'),
      facts: set('modelInfo'),
    };
    const opened: Record<string, McplCase> = {};
    for (const version of ['0.2', '0.3', '0.4', '0.5'] as const)
      opened[version] = await open({
        server: {
          mcpl: { version },
          sets,
          entry: { featureSets: { enabled: ['plain', 'whole', 'part'] } },
          answers: { 'featureSets/update': () => ({ accepted: true }) },
        },
      });
    const answered = async (version: string): Promise<readonly string[]> => {
      const one = opened[version];
      assert.ok(one !== undefined);
      const infer = (featureSet: string, stream: boolean): Promise<string> =>
        one.answerTo('inference/request', { featureSet, messages, stream });
      const answers = [
        await infer('plain', false),
        await infer('plain', true),
        await infer('whole', true),
        await infer('part', true),
        await infer('part', false),
        await one.answerTo('model/info'),
      ];
      return answers.map((answer) => (answer.startsWith('{') ? 'answered' : answer));
    };
    const all = Array<string>(6).fill('answered');
    assert.deepEqual([await answered('0.2'), await answered('0.3'), await answered('0.4')], [all, all, all]);
    const noFacts =
      'error -32002 Capability not declared {"reason":"undeclaredUse","use":"modelInfo",' +
      '"explanation":"No feature set that is on declares \\"modelInfo\\" in its \\"uses\\".","capability":"modelInfo"}';
    assert.deepEqual(await answered('0.5'), [
      'answered',
      refusal('plain', 'inferenceRequest.streaming', true),
      'answered',
      'answered',
      'answered',
      noFacts,
    ]);
    const newest = opened['0.5'];
    assert.ok(newest !== undefined);
    assert.deepEqual(newest.model.asked.length, 4);
    await newest.enable('facts');
    assert.match(await newest.answerTo('model/info'), /^\{"id":"case-model"/);
    assert.deepEqual(
      newest
        .heard()
        .filter((line) => line.includes('featureSets/update '))
        .map((line) => line.replace(/^.*"effective/, '"effective')),
      [
        '"effectiveCapabilities":["inferenceRequest","inferenceRequest.streaming"]}',
        '"effectiveCapabilities":["inferenceRequest","inferenceRequest.streaming","modelInfo"]}',
      ],
    );
    assert.deepEqual(
      (await newest.audit('inference/request', 'model/info')).map((line) => line.replace(/ inf#.*$/, '')),
      [
        'case inference/request plain success',
        'case inference/request plain refused: Capability not declared',
        'case inference/request whole success',
        'case inference/request part success',
        'case inference/request part success',
        'case model/info refused: Capability not declared',
        'case model/info success: case-model',
      ],
    );
  });
});
