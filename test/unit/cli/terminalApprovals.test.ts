import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type Dialog, TerminalDialog, type WhichLine } from '../../../src/cli/dialog.ts';
import { authPromptInTurn, elicitorInTurn, PromptQueue } from '../../../src/cli/promptQueue.ts';
import { approvalLines, terminalApprovals } from '../../../src/cli/terminalApprovals.ts';
import {
  CancellationSource,
  type CancellationToken,
  Deferred,
  type FormQuestion,
  NO_CANCELLATION,
  schemaForm,
} from '../../../src/core/index.ts';
import { settle } from '../../support/fakeClock.ts';
import { approval, target } from './approvals.ts';
import { FakeApprovals } from './fakeHost.ts';

const FOLDER = '/nowhere/ws';
const PROMPT = 'Allow it? (o: once, s: whenever it asks during this run, d: deny; Enter denies) ';
const WANTS = ['The server "files" ("files.edit") wants to append to:', '  /etc/hosts (outside of the working folder)'];

/** A user who answers when the test says so. */
class LiveDialog implements Dialog {
  isInteractive = true;
  readonly shown: string[] = [];
  readonly which: (WhichLine | undefined)[] = [];
  #waiting: Deferred<string | undefined> | undefined;
  #asked = new Deferred<void>();

  say(text: string): void {
    this.shown.push(text);
  }

  async ask(prompt: string, token: CancellationToken, which?: WhichLine): Promise<string | undefined> {
    assert.equal(this.#waiting, undefined, 'Two questions at a time.');
    this.which.push(which);
    const waiting = new Deferred<string | undefined>();
    this.#waiting = waiting;
    this.#asked.resolve();
    const listening = token.onCancellationRequested(() => waiting.resolve(undefined));
    const typed = await waiting.promise;
    listening.dispose();
    this.#waiting = undefined;
    this.#asked = new Deferred();
    this.shown.push(`${prompt}${typed ?? '(void)'}`);
    return typed;
  }

  /** Resolves while a question waits. */
  async asked(): Promise<void> {
    await this.#asked.promise;
  }

  async type(line: string | undefined): Promise<void> {
    await this.asked();
    this.#waiting?.resolve(line);
    await settle();
  }
}

suite('Approvals at a terminal', () => {
  let approvals: FakeApprovals;
  let dialog: LiveDialog;
  let turns: PromptQueue;
  let interruption: CancellationSource;
  let life: { dispose(): void };

  setup(() => {
    approvals = new FakeApprovals();
    dialog = new LiveDialog();
    turns = new PromptQueue();
    interruption = new CancellationSource();
    life = listen();
  });

  teardown(() => {
    life.dispose();
    interruption.dispose();
    for (const emitter of [approvals.changed, approvals.asked, approvals.settled]) emitter.dispose();
  });

  function listen(): { dispose(): void } {
    return terminalApprovals({ approvals, dialog, turns, folder: FOLDER, token: interruption.token });
  }

  test('is asked with what the host computed, and the letter is the answer', async () => {
    const answers = {
      o: 'once',
      S: 'session',
      ' once ': 'once',
      session: 'session',
      d: 'deny',
      deny: 'deny',
      '': 'deny',
    };
    for (const [typed, choice] of Object.entries(answers)) {
      approvals.ask(approval('a1'));
      await dialog.type(typed);
      assert.deepEqual(dialog.shown.splice(0), [...WANTS, `${PROMPT}${typed}`]);
      assert.deepEqual(approvals.answers.splice(0), [`a1 ${choice}`]);
    }
    assert.ok(dialog.which.every((which) => which === 'typedNow'));
  });

  test('what is no answer is asked for again, and never taken for one', async () => {
    approvals.ask(approval('a1'));
    const typed = ['y', 'yes', 'constructor', 'a', 'ok'];
    for (const line of typed) await dialog.type(line);
    assert.deepEqual(approvals.answers, []);
    await dialog.type('d');
    assert.equal(dialog.shown.filter((line) => line === '! Type o, s or d.').length, typed.length);
    approvals.ask(approval('a2'));
    for (let tries = 0; tries < 20; tries++) await dialog.type('?');
    assert.deepEqual(approvals.answers, ['a1 deny', 'a2 dismiss']);
  });

  test('no user to answer is no permission: the end of the input', async () => {
    approvals.ask(approval('a1'));
    await dialog.type(undefined);
    assert.deepEqual(approvals.answers, ['a1 dismiss']);
    assert.equal(dialog.shown.at(-1), 'It is denied, because there was no answer.');
  });

  test('without a terminal there is no listener', () => {
    life.dispose();
    dialog.isInteractive = false;
    life = listen();
    assert.deepEqual(
      [approvals.asked, approvals.settled, approvals.changed].map(({ hasListeners }) => hasListeners),
      [false, false, false],
    );
  });

  test('a request that has ended is taken away, with why; an answer that comes then answers nothing', async () => {
    approvals.ask(approval('a1'));
    await dialog.asked();
    approvals.settle('a1', { kind: 'denied', why: 'timeout' });
    await settle();
    assert.deepEqual(dialog.shown, [...WANTS, 'It is denied, because there was no answer in time.', `${PROMPT}(void)`]);
    assert.deepEqual(approvals.answers, []);
  });

  test('several are asked one after the other; one that has ended meanwhile is not shown', async () => {
    for (const id of ['a1', 'a2', 'a3']) approvals.ask(approval(id, { targets: [target(`/etc/${id}`)] }));
    await dialog.asked();
    approvals.settle('a2', { kind: 'denied', why: 'withdrawn' });
    await dialog.type('o');
    await dialog.type('s');
    assert.deepEqual(approvals.answers, ['a1 once', 'a3 session']);
    assert.deepEqual(
      dialog.shown.filter((line) => line.startsWith('  ')),
      ['/etc/a1', '/etc/a3'].map((path) => `  ${path} (outside of the working folder)`),
    );
  });

  test('waits until another question is answered, so that its answer cannot be taken for one', async () => {
    const elicitor = elicitorInTurn(
      {
        form: async (_question, token) => {
          await dialog.ask('Type "once": ', token);
          return { kind: 'cancel' };
        },
        url: () => Promise.resolve('accept'),
        finish: () => Promise.resolve('continue'),
        finished: () => undefined,
      },
      turns,
    );
    const common = { values: {}, errors: {}, sensitive: [], remarks: [] };
    const form: FormQuestion = { server: 'files', message: '', form: schemaForm({ type: 'object' }), ...common };
    const filled = elicitor.form(form, NO_CANCELLATION);
    approvals.ask(approval('a1'));
    await dialog.type('once');
    await filled;
    assert.deepEqual(approvals.answers, []);
    await dialog.type('d');
    assert.deepEqual(approvals.answers, ['a1 deny']);
    // The other way round. A withdrawn request is not shown.
    approvals.ask(approval('a2'));
    const gone = new CancellationSource();
    const waiting = elicitor.form(form, gone.token);
    const signingIn = authPromptInTurn({ consent: () => Promise.resolve(true) }, turns);
    const question = { server: 'x', reason: 'first', resource: '', issuer: '', scopes: [] } as const;
    const consent = signingIn.consent(question, gone.token);
    gone.cancel();
    await dialog.type('d');
    assert.deepEqual([await waiting, await consent], [{ kind: 'cancel' }, false]);
    assert.equal(await signingIn.consent(question, NO_CANCELLATION), true);
  });

  test('an interruption denies all that is open', async () => {
    for (const id of ['a1', 'a2']) approvals.ask(approval(id));
    await dialog.asked();
    interruption.cancel();
    await settle();
    assert.deepEqual(approvals.answers, ['a1 deny', 'a2 deny']);
  });

  test('an answer that could not be kept is reported', async () => {
    approvals.failure = new Error('The disk is full.');
    approvals.ask(approval('a1'));
    await dialog.type('s');
    assert.equal(dialog.shown.at(-1), '! The disk is full.');
  });
});

suite('The facts of a request, at a terminal', () => {
  const ws = (path: string): string => `${FOLDER}/${path}`;

  test('targets are shown by their real path from the working folder, and as written if that differs', () => {
    const targets = [
      target(ws('src/a.ts'), { written: './src/a.ts' }),
      target(ws('src/a.ts'), { from: '/payload/path', written: 'src/a.ts' }),
      target(ws('.env'), { written: 'src/../.env' }),
      target(FOLDER, { written: `${FOLDER}/` }),
      target(`${FOLDER}-other/b`),
      target('/etc/passwd', { written: 'link' }),
      target('/etc/shadow', { written: 'file:///etc/shadow' }),
      target(ws('..odd')),
      target('#dev "x', { kind: 'name', written: '#dev "x' }),
    ];
    assert.deepEqual(approvalLines(approval('a1', { targets }), FOLDER).slice(1), [
      '  /nowhere/ws-other/b (outside of the working folder)',
      '  /etc/passwd (outside of the working folder), written as "link"',
      '  /etc/shadow (outside of the working folder)',
      '  src/a.ts',
      '  .env, written as "src/../.env"',
      '  the working folder',
      '  ..odd',
      '  "#dev \'x"',
    ]);
  });

  test('the words of a server are a quotation, shown if the host cannot confirm them', () => {
    const label = '/ws/a.ts" is fine\u202E. Allow';
    const lines = (why: 'disagreement' | 'noTarget' | 'unlisted', more = {}): readonly string[] =>
      approvalLines(approval('a1', { label, why, ...more }), FOLDER);
    assert.deepEqual(lines('disagreement'), [
      ...WANTS,
      '! It names something else than what it would touch.',
      '  It says: "/ws/a.ts\' is fine. Allow"',
      '  It sends:',
      '    | {',
      '    |   "path": "/etc/hosts"',
      '    | }',
    ]);
    assert.deepEqual(lines('unlisted'), WANTS);
    const call = { action: { kind: 'call', tool: 'run' }, label: undefined, targets: [], payload: '{"x": 1}' };
    assert.deepEqual(lines('noTarget', call), [
      'The server "files" ("files.edit") wants to call "run".',
      '! What it would touch could not be found out.',
      '  It sends:',
      '    | {"x": 1}',
    ]);
  });

  test('who asks and what for, in few words', () => {
    const first = (subject: object, more = {}): string | undefined =>
      approvalLines(approval('a1', subject, more), FOLDER)[0];
    const elevate = (mode: string | undefined): object => ({ action: { kind: 'elevate', mode } });
    assert.equal(first(elevate('read')), 'The server "files" ("files.edit") wants to read:');
    assert.equal(first(elevate(undefined)), 'The server "files" ("files.edit") wants access to:');
    assert.equal(first(elevate('constructor')), 'The server "files" ("files.edit") wants access to:');
    assert.equal(
      first({ ...elevate('delete'), targets: [] }, { featureSet: undefined }),
      'The server "files" wants to delete something unknown.',
    );
    assert.equal(
      first({ action: { kind: 'call', tool: 'write' } }),
      'The server "files" ("files.edit") wants to call "write" on:',
    );
  });

  test('much of anything is cut, and said to be', () => {
    const targets = Array.from({ length: 25 }, (_, i) => target(`/etc/${i}`));
    const payload = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n');
    const lines = approvalLines(approval('a1', { targets, payload, why: 'disagreement' }, { waiting: 3 }), FOLDER);
    assert.deepEqual(
      [lines[21], lines.at(-2), lines.at(-1)],
      ['  and 5 more', '    | and 10 more lines', '3 identical requests wait for your answer.'],
    );
    assert.equal(lines.length, 1 + 21 + 1 + 2 + 31 + 1);
  });
});

suite('A line that is typed when it is asked for', () => {
  test('is not one that was typed before', async () => {
    const input = new PassThrough();
    const dialog = new TerminalDialog({ input, output: new PassThrough() });
    input.write('first\nonce\n');
    assert.equal(await dialog.ask('a: ', NO_CANCELLATION), 'first');
    // The input is still in the terminal, unread.
    input.write('session\n');
    const asked = dialog.ask('b: ', NO_CANCELLATION, 'typedNow');
    await new Promise((resolve) => setTimeout(resolve, 120));
    input.write('deny\n');
    assert.equal(await asked, 'deny');
    assert.equal(input.isPaused(), true);
    const gone = new CancellationSource();
    const late = dialog.ask('c: ', gone.token, 'typedNow');
    gone.cancel();
    assert.equal(await late, undefined);
    assert.equal(input.isPaused(), true);
    const last = dialog.ask('d: ', NO_CANCELLATION, 'typedNow');
    input.end('once\n');
    assert.equal(await last, undefined);
  });
});
