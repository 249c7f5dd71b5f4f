import assert from 'node:assert/strict';
import { CancellationSource } from '../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../src/core/index.ts';
import { tool } from './mcplCase.ts';
import { FILES_SET, LISTS, scopeCases, WRITE } from './scopeCase.ts';

const FILES = {
  'src/a.ts': '',
  'secrets/k': '',
  '.env': '',
  '../out/x': '',
  link: { to: '/out' },
  inner: { to: '/ws/secrets' },
} as const;
const DENIED =
  'SCOPE_DENIED The tool "write" was not called: the person\'s settings deny its target. ' +
  'Use another target; asking again changes nothing.';
const CHANGED =
  'SCOPE_DENIED The tool "write" was not called: something changed while it was being decided. Try again.';
const CLOSED =
  'SCOPE_DENIED The tool "write" was not called: the person closed the question. ' +
  'Ask the person whether it is wanted, then try again.';
const DECIDED = 'case scope/decision files';

const text = { type: 'string' };
const MOVE = tool('move', {
  inputSchema: { type: 'object', properties: { from: text, to: text } },
  _meta: { featureSet: 'files' },
});
const RUN = tool('run', { _meta: { featureSet: 'files' } });
/** A tool without a set. */
const STRAY = tool('stray', { inputSchema: { type: 'object', properties: { path: text } } });

scopeCases('calls of tools', (open) => {
  test('a call names its scope beside its arguments, as the host computed it', async () => {
    const opened = await open({ files: FILES, server: { tools: [WRITE, MOVE] } });
    const args = { path: 'src/../src/./a.ts', text: '/etc/passwd' };
    assert.equal(await opened.call(args), 'Done.');
    assert.equal(await opened.call({ from: '/ws/src/a.ts', to: 'file:///ws/src/b.ts' }, { name: 'move' }), 'Done.');
    assert.deepEqual(await opened.sent(), [
      '{"name":"write","arguments":{"path":"src/../src/./a.ts","text":"/etc/passwd"},' +
        '"scope":{"label":"/ws/src/a.ts","payload":{"path":"/ws/src/a.ts"}}}',
      '{"name":"move","arguments":{"from":"/ws/src/a.ts","to":"file:///ws/src/b.ts"},' +
        '"scope":{"label":"/ws/src/a.ts","payload":{"path":"/ws/src/a.ts","targets":["/ws/src/a.ts","/ws/src/b.ts"]}}}',
    ]);
    assert.deepEqual(opened.asked, []);
    assert.deepEqual(
      (await opened.mcpl.audit('scope/decision', 'tools/call')).map((line) => opened.folders.shown(line)),
      [
        `${DECIDED} success: write /ws/src/a.ts: allowed by the settings`,
        'case tools/call files success: write by api',
        `${DECIDED} success: move /ws/src/a.ts, /ws/src/b.ts: allowed by the settings`,
        'case tools/call files success: move by api',
      ],
    );
  });

  test('a call of which any argument is denied is not sent, and who made it reads why', async () => {
    const opened = await open({ files: FILES, server: { tools: [WRITE, MOVE] } });
    const paths = ['/ws/.env', 'secrets/k', 'src/../SECRETS/k', '/ws/secrets%2Fk', '/ws/inner/k', 'file:///ws/.env'];
    const answers: string[] = [];
    for (const path of paths) answers.push(await opened.call({ path, text: 'x' }));
    const moved = await opened.call({ from: '/ws/src/a.ts', to: '/ws/secrets/a.ts' }, { name: 'move' });
    assert.deepEqual(
      answers,
      paths.map(() => DENIED),
    );
    assert.equal(moved, DENIED.replace('write', 'move'));
    assert.deepEqual([await opened.sent(), opened.asked], [[], []]);
    assert.deepEqual((await opened.mcpl.audit('tools/call')).length, 7);
    const hidden = await opened.call({ path: '/ws/src/\u200ba.ts' });
    assert.match(
      hidden,
      /^SCOPE_DENIED The tool "write" was not called: its target cannot be allowed \(.*\)\. Name an ordinary path, then try again\.$/,
    );
    assert.deepEqual(await opened.sent(), []);
  });

  test('a call that no list speaks of waits for the user, and is sent or not as they say', async () => {
    const opened = await open({ files: FILES });
    const waiting = opened.call({ path: 'link/x', text: 'hello' });
    await opened.untilAsked(1);
    assert.deepEqual(await opened.sent(), []);
    assert.deepEqual(
      opened.questions[0]?.calls.map((call) => opened.folders.shown(JSON.stringify(call))),
      ['{"server":"case","tool":"write","args":{"path":"link/x","text":"hello"},"route":"api"}'],
    );
    await opened.answer('once');
    assert.equal(await waiting, 'Done.');
    opened.person.push('dismiss');
    assert.equal(await opened.call({ path: 'link/x', text: 'hello' }), CLOSED);
    const question = 'case files call write unlisted: /arguments/path /out/x';
    assert.deepEqual(opened.asked, [question, question]);
    assert.deepEqual(await opened.sent(), [
      '{"name":"write","arguments":{"path":"link/x","text":"hello"},"scope":{"label":"/out/x","payload":{"path":"/out/x"}}}',
    ]);
  });

  test('what was allowed is for that tool and those targets, and a request for a scope allows no call', async () => {
    const opened = await open({ files: FILES, server: { tools: [WRITE, { ...WRITE, name: 'erase' }] } });
    opened.person.push('session', 'session');
    const args = { path: '/out/x' };
    const answers = [await opened.elevate('/out/x', args), await opened.call(args), await opened.call(args)];
    opened.person.push('dismiss', 'dismiss');
    answers.push(await opened.call(args, { name: 'erase' }), await opened.call({ path: '/out/y' }));
    assert.deepEqual(answers, [
      '{"approved":true,"payload":{"path":"/out/x"}}',
      'Done.',
      'Done.',
      CLOSED.replace('write', 'erase'),
      CLOSED,
    ]);
    assert.deepEqual(opened.asked, [
      'case files elevate unlisted “/out/x”: label /out/x, /payload/path /out/x',
      'case files call write unlisted: /arguments/path /out/x',
      'case files call erase unlisted: /arguments/path /out/x',
      'case files call write unlisted: /arguments/path /out/y',
    ]);
    // Another spelling of the same file.
    assert.equal(await opened.call({ path: '/ws/link/x' }), 'Done.');
  });

  test('identical calls are one question, and each is sent', async () => {
    const opened = await open({ files: FILES });
    const calls = [1, 2, 3].map(() => opened.call({ path: '/out/x' }));
    await opened.mcpl.until('three that wait', () => opened.mcpl.host.approvals.pending()[0]?.waiting === 3);
    await opened.answer('once');
    assert.deepEqual(await Promise.all(calls), ['Done.', 'Done.', 'Done.']);
    assert.deepEqual([opened.asked.length, (await opened.sent()).length], [1, 3]);
  });

  test('a link that is swapped while the user thinks keeps the call from being sent', async () => {
    const opened = await open({ files: FILES });
    const swapped = async (to: string): Promise<string> => {
      const asked = opened.asked.length;
      const call = opened.call({ path: 'link/x' });
      await opened.untilAsked(asked + 1);
      opened.folders.relink('link', to);
      await opened.answer('once');
      const answer = await call;
      opened.folders.relink('link', '/out');
      return answer;
    };
    assert.deepEqual(
      [await swapped('/etc'), await swapped('/ws/secrets'), await swapped('/ws/src')],
      [CHANGED, DENIED, CHANGED],
    );
    assert.deepEqual(await opened.sent(), []);
    assert.equal(await swapped('/out'), 'Done.');
    assert.equal((await opened.sent()).length, 1);
  });

  test('what is switched off or denied while the user thinks is not sent', async () => {
    const opened = await open({ files: FILES });
    const meanwhile = async (change: JsonObject, after: JsonObject): Promise<string> => {
      const asked = opened.asked.length;
      const call = opened.call({ path: '/out/x' });
      await opened.untilAsked(asked + 1);
      opened.configure(change);
      // The question of a disabled set is withdrawn. A denial counts when the question is answered.
      if (opened.mcpl.host.approvals.pending().length > 0) await opened.answer('session');
      const answer = await call;
      opened.configure(after);
      return answer;
    };
    const denying = { files: { ...LISTS, blacklist: ['/out/**'] } };
    assert.deepEqual(
      [
        await meanwhile({ scopes: denying }, { scopes: { files: LISTS } }),
        await meanwhile({ featureSets: { enabled: [] } }, { featureSets: { enabled: ['files'] } }),
      ],
      [DENIED, CHANGED],
    );
    await opened.mcpl.until('nothing remembered', () => opened.remembered().length === 0);
    assert.deepEqual(await opened.sent(), []);
  });

  test('a call that is cancelled takes its question away; one of a server that ends fails', async () => {
    const opened = await open({ files: FILES });
    const cancel = new CancellationSource();
    const cancelled = opened.mcpl.call('write', { path: '/etc/x' }, { token: cancel.token });
    await opened.untilAsked(1);
    cancel.cancel();
    await assert.rejects(cancelled, { code: 'CANCELLED' });
    const ended = opened.call({ path: '/etc/y' });
    await opened.untilAsked(2);
    const sent = opened.sent();
    await sent;
    await opened.mcpl.host.stop('case');
    assert.match(await ended, /^SCOPE_DENIED The tool "write" was not called: /);
    assert.deepEqual(
      opened.settled.map((line) => line.replace(/^.* /, '')),
      ['withdrawn', 'withdrawn'],
    );
    assert.deepEqual([await sent, opened.mcpl.host.approvals.pending()], [[], []]);
  });

  test('a tool whose arguments say nothing is asked about each time, unless its settings say where to look', async () => {
    const scopeAdapters = { aimed: ['$.where.file'], harmless: [] };
    const opened = await open({
      files: FILES,
      server: {
        sets: { files: FILES_SET, more: FILES_SET },
        tools: [RUN, { ...RUN, name: 'aimed' }, { ...RUN, name: 'harmless' }, STRAY],
        // A tool that names no set needs all sets with tools.
        entry: { scopeAdapters, featureSets: { enabled: ['files', 'more'] } },
      },
    });
    opened.person.push('once', 'dismiss');
    const answers = [
      await opened.call({ command: 'make' }, { name: 'run' }),
      await opened.call({ command: 'make' }, { name: 'run' }),
      await opened.call({ where: { file: 'src/a.ts' }, other: '/etc/x' }, { name: 'aimed' }),
      await opened.call({ where: { file: '.env' } }, { name: 'aimed' }),
      await opened.call({ path: '/ws/.env' }, { name: 'harmless' }),
    ];
    opened.person.push('dismiss');
    answers.push(await opened.call({ path: '/ws/src/a.ts' }, { name: 'stray' }));
    answers.push(await opened.call({ path: '/ws/.env' }, { name: 'stray' }));
    assert.deepEqual(answers, [
      'Done.',
      CLOSED.replace('write', 'run'),
      'Done.',
      DENIED.replace('write', 'aimed'),
      'Done.',
      CLOSED.replace('write', 'stray'),
      DENIED.replace('write', 'stray'),
    ]);
    assert.deepEqual(opened.asked, [
      'case files call run noTarget: ',
      'case files call run noTarget: ',
      'case - call stray unlisted: /arguments/path /ws/src/a.ts (src/a.ts of ws)',
    ]);
    assert.deepEqual(
      (await opened.sent()).map((line) => line.replace(/[0-9a-f]{12}/, '…')),
      [
        '{"name":"run","arguments":{"command":"make"},"scope":{"label":"run(…)"}}',
        '{"name":"aimed","arguments":{"where":{"file":"src/a.ts"},"other":"/etc/x"},"scope":{"label":"/ws/src/a.ts","payload":{"path":"/ws/src/a.ts"}}}',
        '{"name":"harmless","arguments":{"path":"/ws/.env"}}',
      ],
    );
  });

  test('a tool of a set that is not scoped is called as ever', async () => {
    const { scoped: _, ...plain } = FILES_SET;
    const opened = await open({ files: FILES, server: { sets: { files: plain }, entry: { scopes: {} } } });
    assert.equal(await opened.call({ path: '/ws/.env' }), 'Done.');
    assert.deepEqual(await opened.sent(), ['{"name":"write","arguments":{"path":"/ws/.env"}}']);
  });
});
