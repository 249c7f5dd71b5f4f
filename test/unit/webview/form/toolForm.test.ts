import assert from 'node:assert/strict';
import {
  type CallOptions,
  decodeResult,
  Deferred,
  HostError,
  type Json,
  type ResultView,
  schemaForm,
  type ToolCallRequest,
} from '../../../../src/core/index.ts';
import { AnnotatedResult } from '../../../../src/core/calls/annotatedResult.ts';
import { hasSecrets, readArguments, refusal, switched } from '../../../../src/editor/tools/toolArguments.ts';
import { ToolRun } from '../../../../src/editor/tools/toolRun.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { progressView, resultRun, toolView } from '../../../../src/editor/tools/toolView.ts';
import {
  type BlockView,
  decodeFromPage,
  decodePageState,
  type ValuesView,
} from '../../../../src/webview/form/formMessages.ts';
import { running, snapshot, tool } from '../../../support/serverSnapshots.ts';

const FORM = schemaForm({
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string' }, count: { type: 'integer' }, deep: { type: 'boolean' } },
});

suite('the arguments of the Call Tool page', () => {
  test('are read from the form and from JSON, with what to change', () => {
    const read = [
      readArguments(FORM, { mode: 'form', values: { '/name': 'a' } }),
      readArguments(FORM, { mode: 'form', values: { '/name': 'a', '/count': 'x' } }),
      readArguments(FORM, { mode: 'json', text: '{"name": "a", "more": [1]}' }),
      readArguments(FORM, { mode: 'json', text: ' ' }),
      readArguments(FORM, { mode: 'json', text: '[1]' }),
    ];
    assert.deepEqual(
      read.map((each) => (each.kind === 'arguments' ? each.args : each.errors)),
      [
        { name: 'a' },
        { '/count': 'Enter a whole number.' },
        { name: 'a', more: [1] },
        {},
        { '': 'Enter a JSON object: { … }.' },
      ],
    );
  });

  test('that do not fit the form can be sent as they were entered, unless they are not JSON', () => {
    const limits = {
      name: { type: 'string', minLength: 3 },
      count: { type: 'integer', maximum: 9 },
      step: { type: 'number', multipleOf: 5 },
      tags: { type: 'array', items: { type: 'string', maxLength: 2 }, maxItems: 2 },
      sizes: { type: 'array', items: { type: 'integer' } },
      any: { type: 'array', items: { type: 'object' } },
      place: { type: 'object', required: ['city'], properties: { city: { type: 'string' }, zip: { type: 'integer' } } },
    };
    const form = schemaForm({ type: 'object', required: ['name', 'count'], properties: limits });
    const say = (values: ValuesView): string => {
      const read = readArguments(form, { mode: 'form', values });
      return `${read.kind} ${read.kind === 'unsendable' ? Object.keys(read.errors).join() : JSON.stringify(read.args)}`;
    };
    const right = { '/name': 'abc', '/count': '1' };
    const rows: readonly (readonly [ValuesView, string])[] = [
      [right, 'arguments {"name":"abc","count":1}'],
      [{ '/count': '1' }, 'misfit {"count":1}'],
      [{ '/name': 'ab', '/count': '10' }, 'misfit {"name":"ab","count":10}'],
      [{ ...right, '/count': 'ten' }, 'misfit {"name":"abc","count":"ten"}'],
      [{ ...right, '/count': '1.5' }, 'misfit {"name":"abc","count":1.5}'],
      [{ ...right, '/count': '1e999' }, 'misfit {"name":"abc","count":"1e999"}'],
      // A number would lose digits.
      [{ ...right, '/count': '12345678901234567890' }, 'misfit {"name":"abc","count":"12345678901234567890"}'],
      [{ ...right, '/step': '7' }, 'misfit {"name":"abc","count":1,"step":7}'],
      [{ ...right, '/step': '1e21' }, 'arguments {"name":"abc","count":1,"step":1e+21}'],
      [{ ...right, '/tags': ['abc'] }, 'misfit {"name":"abc","count":1,"tags":["abc"]}'],
      [{ ...right, '/tags': ['a', 'b', 'c'] }, 'misfit {"name":"abc","count":1,"tags":["a","b","c"]}'],
      [{ ...right, '/sizes': ['1', 'two', ''] }, 'misfit {"name":"abc","count":1,"sizes":[1,"two",""]}'],
      [{ ...right, '/any': '{"a": 1}' }, 'misfit {"name":"abc","count":1,"any":{"a":1}}'],
      [{ ...right, '/place/zip': 'x' }, 'misfit {"name":"abc","count":1,"place":{"zip":"x"}}'],
      [{ ...right, '/any': '{a: 1}' }, 'unsendable /any'],
      [{ '/name': 'ab', '/count': '1', '/any': '[' }, 'unsendable /name,/any'],
    ];
    assert.deepEqual(
      rows.map(([values]) => say(values)),
      rows.map(([, expected]) => expected),
    );
  });

  test('that are refused come with the reason, and with whether they can be sent anyway', () => {
    const misfit = readArguments(FORM, { mode: 'form', values: { '/count': 'x' } });
    const unsendable = [
      readArguments(FORM, { mode: 'json', text: '{' }),
      readArguments(FORM, { mode: 'json', text: '[1]' }),
    ];
    const said = [misfit, ...unsendable].map((read) => {
      const message = read.kind === 'arguments' ? undefined : refusal(read);
      return message?.type === 'errors' ? [message.refused, Object.keys(message.errors)] : read.kind;
    });
    const notJson = {
      reason: 'Nothing was sent, because a call carries only a JSON object. Correct the marked text.',
      canSendAnyway: false,
    };
    assert.deepEqual(said, [
      [
        {
          reason:
            'Nothing was sent, because the arguments do not fit the tool. Correct them, or send them as they are.',
          canSendAnyway: true,
        },
        ['/name', '/count'],
      ],
      [notJson, ['']],
      [notJson, ['']],
    ]);
  });

  test('switch to JSON as they were entered, unless a part is not JSON', () => {
    const texts = [{ '/count': '3' }, { '/count': '3.5' }, { '/count': 'x', '/name': 'a' }].map((values) => {
      const message = switched(FORM, { mode: 'form', values });
      return message.type === 'json' ? message.text.replaceAll(/\s/g, '') : message;
    });
    assert.deepEqual(texts, ['{"count":3}', '{"count":3.5}', '{"name":"a","count":"x"}']);
    const form = schemaForm({
      type: 'object',
      required: ['name'],
      properties: { name: { type: 'string' }, any: { type: 'array', items: { type: 'object' } } },
    });
    const refused = switched(form, { mode: 'form', values: { '/any': '[' } });
    // A missing value stays missing.
    assert.deepEqual(refused.type === 'errors' && [Object.keys(refused.errors), refused.refused], [
      ['/any'],
      undefined,
    ]);
  });

  test('switch to the form only when the form can show them all', () => {
    assert.deepEqual(switched(FORM, { mode: 'json', text: '{"count": 3}' }), {
      type: 'form',
      values: { '/count': '3' },
    });
    const refused = switched(FORM, { mode: 'json', text: '{"count": 3, "more": 1}' });
    assert.ok(refused.type === 'errors' && refused.errors['']?.includes('cannot show all'));
  });

  test('are known to hold secrets at any depth', () => {
    const secret = { type: 'string', format: 'password' };
    const nested = { type: 'object', properties: { a: { type: 'object', properties: { b: secret } } } };
    const list = { type: 'object', properties: { a: { type: 'array', items: secret } } };
    assert.deepEqual(
      [nested, list].map((schema) => hasSecrets(schemaForm(schema).fields)),
      [true, true],
    );
    assert.equal(hasSecrets(FORM.fields), false);
  });
});

suite('the view of the Call Tool page', () => {
  const target = { server: 'files', tool: 'read' };
  const { tool: read } = tool('read', { title: '\u202EevilRead', description: 'Reads.\u0000' });

  test('is clean, and says what keeps the tool from being called', () => {
    const view = toolView(target, snapshot('files', running()), { tool: read, offered: true }, FORM);
    assert.deepEqual(
      [view.title, view.origin, view.description, view.blocked],
      ['evilRead', 'files › read', 'Reads.', undefined],
    );
    assert.deepEqual(view.hints, []);
    const blocked = [
      undefined,
      snapshot('files', { kind: 'stopped', reason: 'byUser' }),
      snapshot('files', { kind: 'starting' }),
      snapshot('files', running()),
    ];
    assert.deepEqual(
      blocked.map((server) => toolView(target, server, { tool: read, offered: false }, FORM).blocked),
      [
        { reason: 'The server is no longer in the settings.', canStart: false },
        { reason: 'The server is not running.', canStart: true },
        { reason: 'The server is not running: starting…', canStart: false },
        { reason: 'The server does not list this tool now.', canStart: false },
      ],
    );
  });

  test('has the hints that the server gave, and none of those that are only assumed', () => {
    const annotations = [{}, { readOnlyHint: true }, { destructiveHint: false, idempotentHint: true }];
    const hints = [false, true, false].map((readOnly, index) => {
      const given = { readOnly, destructive: !readOnly, idempotent: index === 2, openWorld: true };
      const raw = { name: 'read', annotations: annotations[index] ?? {} };
      const { tool: hinted } = tool('read', { hints: given, raw });
      return toolView(target, undefined, { tool: hinted, offered: true }, FORM).hints;
    });
    assert.deepEqual(hints, [
      [],
      ['it only reads'],
      ['it destroys nothing', 'calling it twice does no more than once'],
    ]);
  });

  test('shows progress as text and as a fraction', () => {
    const shown = [
      undefined,
      { progress: 3, total: 4, message: undefined },
      { progress: 7, total: undefined, message: ' Half\u0007way ' },
    ];
    assert.deepEqual(
      shown.map((progress) => progressView(5, progress)),
      [
        { kind: 'running', elapsedMs: 5, message: 'Running…', fraction: undefined },
        { kind: 'running', elapsedMs: 5, message: 'Running… 3 of 4', fraction: 0.75 },
        { kind: 'running', elapsedMs: 5, message: 'Halfway', fraction: undefined },
      ],
    );
  });

  const blocks = (content: Json): readonly BlockView[] => {
    const run = resultRun(1, decodeResult({ content }));
    return run.kind === 'done' ? run.blocks : [];
  };

  test('draws images of harmless kinds only, and names everything else', () => {
    assert.deepEqual(
      blocks([
        { type: 'text', text: 'a\u0007b' },
        { type: 'image', mimeType: 'image/png', data: 'AAAA' },
        { type: 'image', mimeType: 'image/svg+xml', data: 'AAAA' },
        { type: 'image', mimeType: 'image/png', data: '"><script>' },
        { type: 'image', mimeType: 'image/png;x=url(', data: 'AAAA' },
        { type: 'audio', mimeType: 'audio/wav', data: 'AAAA' },
        { type: 'resource_link', uri: 'command:evil', name: 'x' },
        { type: 'resource', resource: { uri: 'a://b', text: 'inside' } },
        { type: 'resource', resource: { uri: 'a://c', blob: 'AAAA', mimeType: 'image/gif' } },
        { type: 'new', x: 1 },
      ]).map((block) => [block.kind, block.kind === 'text' ? block.text : block.source, block.note]),
      [
        ['text', 'ab', ''],
        ['image', 'data:image/png;base64,AAAA', 'Image, image/png, 1 KB'],
        ['text', '', 'Image, image/svg+xml, 1 KB. Open in Editor shows its data.'],
        ['text', '', 'Image, image/png, 1 KB. Open in Editor shows its data.'],
        ['text', '', 'Image, image/png;x=url(, 1 KB. Open in Editor shows its data.'],
        ['text', '', 'Audio, audio/wav, 1 KB. Open in Editor shows its data.'],
        ['text', 'command:evil', 'Link to a resource: x'],
        ['text', 'inside', 'Resource a://b'],
        ['image', 'data:image/gif;base64,AAAA', 'Resource a://c: Image, image/gif, 1 KB'],
        ['text', '{\n  "type": "new",\n  "x": 1\n}', 'Content of an unknown type'],
      ],
    );
  });

  test('stays bounded, and says so', () => {
    const many = blocks(Array.from({ length: 500 }, () => ({ type: 'text', text: 'x' })));
    assert.deepEqual([many.length, many.at(-1)?.note], [101, '400 more pieces are not shown.']);
    const [long] = blocks([{ type: 'text', text: 'y'.repeat(1_000_000) }]);
    assert.ok(long?.kind === 'text' && long.text.length === 200_000);
    assert.equal(long.note, 'The first 200,000 of 1,000,000 characters. Open in Editor shows all.');
  });
});

suite('what the Call Tool page says', () => {
  test('is taken only when it is understood', () => {
    const understood = [
      { type: 'ready' },
      { type: 'run', entered: { mode: 'json', text: '{}' }, anyway: false },
      { type: 'run', entered: { mode: 'form', values: {} }, anyway: true },
      { type: 'switch', entered: { mode: 'form', values: { '/a': 'x', '/b': true, '/c': ['1'] } } },
    ];
    assert.deepEqual(understood.map(decodeFromPage), understood);
    const run = { type: 'run', entered: { mode: 'json', text: '{}' } };
    assert.deepEqual(
      [decodeFromPage(run), decodeFromPage({ ...run, anyway: 'yes' })],
      [
        { ...run, anyway: false },
        { ...run, anyway: false },
      ],
    );
    const strange = [
      undefined,
      'run',
      { type: 'delete' },
      { type: 'run' },
      { type: 'run', entered: { mode: 'json', text: 5 } },
      { type: 'run', entered: { mode: 'form', values: { '/a': { b: 1 } } } },
      { type: 'run', entered: { mode: 'form', values: ['x'] } },
      { type: 'switch', entered: { mode: 'other', values: {} } },
    ];
    assert.deepEqual(
      strange.map(decodeFromPage),
      strange.map(() => undefined),
    );
  });

  test('is kept only in the shape it has now', () => {
    const state = { server: 's', tool: 't', mode: 'form', values: { '/a': 'x' }, text: '', history: ['{}'] };
    assert.deepEqual(decodePageState(state), state);
    assert.equal(decodePageState({ ...state, history: [1] }), undefined);
    assert.equal(decodePageState({ ...state, mode: 'x' }), undefined);
    assert.equal(decodePageState(null), undefined);
  });
});

suite('the calls of the Call Tool page', () => {
  const request = { server: 's', tool: 't' };

  class ScriptedHost {
    readonly calls: {
      readonly request: ToolCallRequest;
      readonly options: CallOptions;
      readonly answer: Deferred<ResultView>;
    }[] = [];
    callTool(given: ToolCallRequest, options: CallOptions = {}): Promise<ResultView> {
      const answer = new Deferred<ResultView>();
      this.calls.push({ request: given, options, answer });
      options.token?.onCancellationRequested(() =>
        answer.reject(new HostError('CANCELLED', 'The call was cancelled.', { layer: 'host' })),
      );
      return answer.promise;
    }
  }

  function kinds(run: ToolRun): string {
    const { view } = run;
    return view.kind === 'done' ? `done ${view.blocks.length}` : view.kind === 'failed' ? view.message : view.kind;
  }

  test('go one at a time, and show what they gave', async () => {
    const host = new ScriptedHost();
    const seen: string[] = [];
    const run = new ToolRun({ host, clock: new FakeClock(0) }, request, () => seen.push(kinds(run)));
    const started = run.start({ a: 1 });
    void run.start({ a: 2 });
    assert.deepEqual(
      host.calls.map((call) => call.request),
      [{ ...request, args: { a: 1 }, route: 'command' }],
    );
    host.calls[0]?.answer.resolve(decodeResult('{"x":1}'));
    await started;
    assert.deepEqual(seen, ['running', 'done 1']);
    assert.deepEqual(run.text, { text: '{"x":1}', isJson: true });
  });

  test('say what became of the state that came with the result', async () => {
    const host = new ScriptedHost();
    const run = new ToolRun({ host, clock: new FakeClock(0) }, request, () => undefined);
    const started = run.start({});
    const data = { kind: 'kept', checkpoint: 'chk_b', place: 2 } as const;
    const result = new AnnotatedResult(decodeResult('{}'), [{ source: 'host', kind: 'state', text: '', data }]);
    host.calls[0]?.answer.resolve(result);
    await started;
    assert.equal(run.view.kind === 'done' && run.view.kept, 'Checkpoint chk_b is kept.');
  });

  test('go unchecked only when the user insists', async () => {
    const host = new ScriptedHost();
    const run = new ToolRun({ host, clock: new FakeClock(0) }, request, () => undefined);
    const sent = (): readonly unknown[] => host.calls.map((call) => [call.request.args, call.request.unchecked]);
    const unchecked = run.startUnchecked({ a: 'x' });
    host.calls[0]?.answer.resolve(decodeResult('{}'));
    await unchecked;
    const checked = run.start({ a: 1 });
    host.calls[1]?.answer.resolve(decodeResult('{}'));
    await checked;
    assert.deepEqual(sent(), [
      [{ a: 'x' }, true],
      [{ a: 1 }, undefined],
    ]);
  });

  test('end when they are cancelled, and say so', async () => {
    const host = new ScriptedHost();
    const run = new ToolRun({ host, clock: new FakeClock(0) }, request, () => undefined);
    const started = run.start({});
    run.cancel();
    await started;
    assert.equal(kinds(run), 'cancelled');
    assert.equal(run.text, undefined);
  });

  test('report progress at most once per interval, and not after their end', async () => {
    const host = new ScriptedHost();
    const clock = new FakeClock(0);
    const seen: string[] = [];
    const run = new ToolRun({ host, clock }, request, () => seen.push(`${clock.now()} ${kinds(run)}`));
    const started = run.start({});
    const [call] = host.calls;
    for (const progress of [1, 2, 3]) {
      call?.options.onProgress?.({ progress, total: 3, message: undefined });
      await clock.advance(40);
    }
    call?.options.onProgress?.({ progress: 3, total: 3, message: undefined });
    call?.answer.resolve(decodeResult('{}'));
    await started;
    await clock.advance(500);
    assert.deepEqual(seen, ['0 running', '100 running', '120 done 1']);
  });

  test('report nothing after the page is closed', async () => {
    const host = new ScriptedHost();
    const clock = new FakeClock(0);
    const seen: string[] = [];
    const run = new ToolRun({ host, clock }, request, () => seen.push(kinds(run)));
    const started = run.start({});
    host.calls[0]?.options.onProgress?.({ progress: 1, total: 2, message: undefined });
    run.dispose();
    host.calls[0]?.options.onProgress?.({ progress: 2, total: 2, message: undefined });
    await started;
    await clock.advance(500);
    assert.deepEqual([seen, clock.waiting], [['running'], 0]);
  });
});
