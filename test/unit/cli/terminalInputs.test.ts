import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { type Dialog, TerminalDialog } from '../../../src/cli/dialog.ts';
import { terminalElicitor, terminalSignIn } from '../../../src/cli/terminalInputs.ts';
import {
  CancellationSource,
  type CancellationToken,
  collectArguments,
  type FormAnswer,
  type FormQuestion,
  initialValues,
  type JsonObject,
  NO_CANCELLATION,
  schemaForm,
} from '../../../src/core/index.ts';

/** A user who types the test's input, and then nothing more. */
class TypedDialog implements Dialog {
  readonly isInteractive: boolean;
  readonly shown: string[] = [];
  readonly #typed: string[];

  constructor(typed: readonly string[], isInteractive = true) {
    this.#typed = [...typed];
    this.isInteractive = isInteractive;
  }

  say(text: string): void {
    this.shown.push(text);
  }

  ask(prompt: string, _token: CancellationToken): Promise<string | undefined> {
    const typed = this.#typed.shift();
    this.shown.push(`${prompt}${typed ?? ''}`);
    return Promise.resolve(typed);
  }
}

function form(properties: JsonObject, more: Partial<FormQuestion> = {}): FormQuestion {
  const made = schemaForm({ type: 'object', properties, required: ['name'] });
  const values = initialValues(made);
  return { server: 'files', message: 'Who?', form: made, values, errors: {}, sensitive: [], remarks: [], ...more };
}

function contentOf(question: FormQuestion, answer: FormAnswer): unknown {
  return answer.kind === 'accept' ? collectArguments(question.form, answer.values) : answer.kind;
}

const PAGE = {
  server: 'files',
  message: 'Sign in there.',
  url: 'https://x.test/',
  host: 'x.test',
  writtenHost: undefined,
  elicitationId: undefined,
  remarks: ['Odd.'],
};

suite('Questions of servers at a terminal', () => {
  test('a form is filled in field by field, and sent after a last look', async () => {
    const question = form({
      name: { type: 'string', title: 'Name', description: 'Of whom' },
      count: { type: 'integer', default: 3 },
      sure: { type: 'boolean', default: true },
      colour: {
        type: 'string',
        oneOf: [
          { const: 'r', title: 'Red' },
          { const: 'b', title: 'Blue' },
        ],
      },
      tags: { type: 'array', items: { type: 'string', enum: ['x', 'y', 'z'] } },
      words: { type: 'array', items: { type: 'string' } },
    });
    const dialog = new TypedDialog(['Bo', '', 'perhaps', 'n', '0', '2', '1, 3', 'a, b', 'yes']);
    const answer = await terminalElicitor(dialog).form({ ...question, remarks: ['Mind it.'] }, NO_CANCELLATION);
    assert.deepEqual(dialog.shown, [
      'The server "files" asks: Who?',
      '! Mind it.',
      '  Of whom',
      'Name (text, required): Bo',
      'count (whole number) [3]: ',
      'sure (yes or no) [yes]: perhaps',
      '! Answer yes or no.',
      'sure (yes or no) [yes]: n',
      '  1. Red',
      '  2. Blue',
      'colour (1 to 2): 0',
      '! Enter a number from 1 to 2.',
      'colour (1 to 2): 2',
      '  1. x',
      '  2. y',
      '  3. z',
      'tags (some of 1 to 3, such as 1,2): 1, 3',
      'words (texts with commas between them): a, b',
      'Send this to "files"? (yes; no to refuse; Enter to leave it open) yes',
    ]);
    assert.deepEqual(contentOf(question, answer), {
      kind: 'arguments',
      args: { name: 'Bo', count: 3, sure: false, colour: 'b', tags: ['x', 'z'], words: ['a', 'b'] },
    });
  });

  test('an error is shown at its field, which then shows the earlier input', async () => {
    const question = form(
      { name: { type: 'string' }, pick: { enum: ['a', 'b'] } },
      { values: { '/name': 'B', '/pick': '1' }, errors: { '/name': 'Too short.' } },
    );
    const dialog = new TypedDialog(['Bo', '', 'y']);
    const answer = await terminalElicitor(dialog).form(question, NO_CANCELLATION);
    assert.deepEqual(dialog.shown.slice(1), [
      '! Too short.',
      'name (text, required) [B]: Bo',
      '  1. a',
      '  2. b',
      'pick (1 to 2) [2]: ',
      'Send this to "files"? (yes; no to refuse; Enter to leave it open) y',
    ]);
    assert.deepEqual(contentOf(question, answer), { kind: 'arguments', args: { name: 'Bo', pick: 'b' } });
  });

  for (const [typed, expected] of [
    [['Bo', 'no'], 'decline'],
    [['Bo', ''], 'cancel'],
    [['Bo'], 'cancel'],
    [[], 'cancel'],
  ] as const)
    test(`a form ends with "${expected}" after ${JSON.stringify(typed)}`, async () => {
      const question = form({ name: { type: 'string' } });
      const answer = await terminalElicitor(new TypedDialog(typed)).form(question, NO_CANCELLATION);
      assert.equal(answer.kind, expected);
    });

  test('a field is asked for so many times and no more', async () => {
    const dialog = new TypedDialog(Array.from({ length: 50 }, () => 'perhaps'));
    const answer = await terminalElicitor(dialog).form(form({ name: { type: 'boolean' } }), NO_CANCELLATION);
    assert.deepEqual([answer.kind, dialog.shown.length], ['cancel', 41]);
  });

  test('a page is shown whole, opened by the user, and waited for', async () => {
    const dialog = new TypedDialog(['yes', '', 'cancel']);
    const elicitor = terminalElicitor(dialog);
    const outcomes = [
      await elicitor.url(PAGE, NO_CANCELLATION),
      await elicitor.finish(PAGE, NO_CANCELLATION),
      await elicitor.finish(PAGE, NO_CANCELLATION),
      await elicitor.finish(PAGE, NO_CANCELLATION),
    ];
    elicitor.finished(PAGE);
    assert.deepEqual(outcomes, ['accept', 'continue', 'cancel', 'cancel']);
    assert.deepEqual(
      [...dialog.shown.slice(0, 3), dialog.shown.at(-1)],
      [
        'The server "files" wants you to visit a page: Sign in there.\n  https://x.test/\n  Its host is x.test.',
        '! Odd.',
        'Open it in a browser, if you trust it. Did you open it? (yes; no to refuse; Enter to leave it open) yes',
        'The server "files" says that the page is complete.',
      ],
    );
  });

  test('without a terminal every question is left open, and what was asked is said', async () => {
    const dialog = new TypedDialog(['yes'], false);
    const elicitor = terminalElicitor(dialog);
    const { authPrompt } = terminalSignIn(dialog);
    const signIn = { server: 'files', reason: 'first', resource: 'r', issuer: 'i', scopes: [] } as const;
    const outcomes = [
      (await elicitor.form(form({}), NO_CANCELLATION)).kind,
      await elicitor.url(PAGE, NO_CANCELLATION),
      await elicitor.finish(PAGE, NO_CANCELLATION),
      await authPrompt.consent(signIn, NO_CANCELLATION),
      await authPrompt.askClient?.({ server: 'files', issuer: 'i', redirectUri: 'r' }, NO_CANCELLATION),
    ];
    assert.deepEqual(outcomes, ['cancel', 'cancel', 'cancel', false, undefined]);
    assert.equal(dialog.shown.filter((text) => text.includes('needs a terminal')).length, 3);
  });

  test('signing in is agreed to, and its address shown', async () => {
    const dialog = new TypedDialog(['yes', ' client ', '']);
    const { authPrompt, authBrowser } = terminalSignIn(dialog);
    const about = { server: 'files', issuer: 'https://login.test' };
    const signIn = { ...about, reason: 'moreScopes', resource: 'https://x.test/mcp', scopes: ['a', 'b'] } as const;
    const client = { ...about, redirectUri: 'http://127.0.0.1:1/callback' };
    const outcomes = [
      await authPrompt.consent(signIn, NO_CANCELLATION),
      await authPrompt.askClient?.(client, NO_CANCELLATION),
      await authPrompt.askClient?.(client, NO_CANCELLATION),
      await authBrowser.open('https://login.test/a?b=c'),
    ];
    assert.deepEqual(outcomes, [true, { clientId: 'client' }, undefined, true]);
    assert.deepEqual(
      [...dialog.shown.slice(0, 4), dialog.shown.at(-1)],
      [
        'The server "files" wants more rights than it has.',
        '  For: https://x.test/mcp\n  At:  https://login.test',
        '  Rights: a b',
        'Sign in? (yes; no to refuse; Enter to leave it open) yes',
        'Open this address in a browser on this machine to sign in:\n  https://login.test/a?b=c',
      ],
    );
  });
});

suite('The dialog of a command', () => {
  let input: PassThrough;
  let output: PassThrough;
  let dialog: TerminalDialog;

  setup(() => {
    input = new PassThrough();
    output = new PassThrough();
    dialog = new TerminalDialog({ input, output });
  });

  const shown = (): string => String(output.read() ?? '');

  test('asks for a line each, also if they come all at once, and knows the end', async () => {
    input.write('one\ntwo\n');
    assert.equal(await dialog.ask('a: ', NO_CANCELLATION), 'one');
    assert.equal(input.isPaused(), true, 'an input that is read from would keep the process alive');
    assert.equal(await dialog.ask('b: ', NO_CANCELLATION), 'two');
    const third = dialog.ask('c: ', NO_CANCELLATION);
    input.end();
    assert.equal(await third, undefined);
    assert.equal(await dialog.ask('d: ', NO_CANCELLATION), undefined);
    assert.equal(shown(), 'a: b: c: d: ');
  });

  test('gives up a question that is void; the next one is asked all the same', async () => {
    const source = new CancellationSource();
    const asked = dialog.ask('a: ', source.token);
    source.cancel();
    assert.equal(await asked, undefined);
    assert.equal(await dialog.ask('b: ', source.token), undefined);
    const next = dialog.ask('c: ', NO_CANCELLATION);
    input.write('yes\n');
    assert.equal(await next, 'yes');
    assert.equal(shown(), 'a: \nc: ');
  });

  test('shows nothing that a terminal would act on, and is interactive between two terminals only', () => {
    dialog.say('a\u001b[31m\nb');
    assert.equal(shown(), 'a[31m\nb\n');
    const withTerminal = (stream: PassThrough): PassThrough & { isTTY: boolean } =>
      Object.assign(stream, { isTTY: true });
    assert.equal(dialog.isInteractive, false);
    assert.equal(new TerminalDialog({ input: withTerminal(input), output }).isInteractive, false);
    assert.equal(new TerminalDialog({ input, output: withTerminal(output) }).isInteractive, true);
  });
});
