import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { CancellationSource, NO_CANCELLATION, NO_LOG } from '../../../src/core/index.ts';
import { EditorAuthPrompt, editorBrowser, editorSecrets } from '../../../src/editor/questions/signIn.ts';
import { WaitingQuestions } from '../../../src/editor/questions/waitingQuestions.ts';
import { person } from '../person.ts';
import { eventually } from './eventually.ts';

const QUESTION = {
  server: 'issues',
  reason: 'first',
  resource: 'https://mcp.example.com/mcp',
  issuer: 'https://login.example.com',
  scopes: ['read', 'write'],
} as const;

/** The part of the editor's storage that the extension uses. */
const secretStorage = (kept: Map<string, string>): vscode.SecretStorage => ({
  keys: async () => [...kept.keys()],
  get: async (key) => kept.get(key),
  store: async (key, value) => void kept.set(key, value),
  delete: async (key) => void kept.delete(key),
  onDidChange: new vscode.EventEmitter<vscode.SecretStorageChangeEvent>().event,
});

suite('Signing in', () => {
  let questions: WaitingQuestions;
  let agreed: string[];
  let prompt: EditorAuthPrompt;

  setup(async () => {
    await vscode.commands.executeCommand('notifications.clearAll');
    questions = new WaitingQuestions(NO_LOG);
    agreed = [];
    prompt = new EditorAuthPrompt(questions, (server) => agreed.push(server));
  });
  teardown(async () => {
    questions.dispose();
    await vscode.commands.executeCommand('notifications.clearAll');
  });

  test('is asked with who signs the user in and what for, and waits in the view', async () => {
    const answer = prompt.consent(QUESTION, NO_CANCELLATION);
    await eventually(
      async () => person.notifications(),
      [
        'The server "issues" wants you to sign in at https://login.example.com. It asks for: read, write. The access is for https://mcp.example.com/mcp.',
      ],
    );
    assert.deepEqual(questions.waiting, [{ server: 'issues', label: 'Sign in at https://login.example.com' }]);
    await person.notification('Sign In');
    assert.deepEqual([await answer, agreed, questions.waiting], [true, ['issues'], []]);
  });

  test('can be declined, and is void when the start was', async () => {
    const declined = prompt.consent({ ...QUESTION, reason: 'moreScopes', scopes: [] }, NO_CANCELLATION);
    await person.notification("Don't Sign In", 'wants more access than you gave it');
    assert.equal(await declined, false);
    const source = new CancellationSource();
    const cancelled = prompt.consent(QUESTION, source.token);
    source.cancel();
    assert.deepEqual([await cancelled, agreed], [false, []]);
  });

  test('takes the id and the secret of a client that the user registered', async () => {
    const question = { server: 'issues', issuer: QUESTION.issuer, redirectUri: 'http://127.0.0.1:4711/callback' };
    const entered = prompt.askClient(question, NO_CANCELLATION);
    await person.notification('Enter Client Id', 'http://127.0.0.1:4711/callback');
    await person.waitFor('.quick-input-message:has-text("The id of the client")');
    await person.answerInput(' my-client ');
    await person.waitFor('.quick-input-message:has-text("Its secret")');
    await person.answerInput('hush');
    assert.deepEqual(await entered, { clientId: 'my-client', clientSecret: 'hush' });
  });

  test('keeps tokens in the secret storage, and finds the way back to this machine', async () => {
    const kept = new Map<string, string>();
    const secrets = editorSecrets(secretStorage(kept));
    await secrets.set('a', '1');
    assert.deepEqual([await secrets.get('a'), await secrets.get('b'), [...kept]], ['1', undefined, [['a', '1']]]);
    await secrets.delete('a');
    assert.equal(kept.size, 0);
    const back = await editorBrowser.externalUri?.('http://127.0.0.1:4711/callback');
    assert.ok(back !== undefined && /^https?:\/\/.*4711.*\/callback$/.test(back), back);
  });
});
