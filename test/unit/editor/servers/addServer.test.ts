import assert from 'node:assert/strict';
import { askForServer } from '../../../../src/editor/servers/addServerSteps.ts';
import { type EntryKind, idProblem, readEntry, suggestId } from '../../../../src/editor/servers/serverEntry.ts';
import type { Answer, InputStep, PickStep, WizardUi } from '../../../../src/editor/shared/wizardSteps.ts';

const CONTEXT = { taken: new Set(['memory']), hasWorkspace: true, style: 'posix' } as const;

const BACK = Symbol('back');
const CANCEL = Symbol('cancel');
type Reply = string | typeof BACK | typeof CANCEL;

/** A user who answers with these labels and texts, and records what was shown. */
class ScriptedPerson implements WizardUi {
  readonly seen: string[] = [];
  readonly #replies: Reply[];

  constructor(replies: readonly Reply[]) {
    this.#replies = [...replies];
  }

  async pick<T>(step: PickStep<T>): Promise<Answer<T>> {
    const chosen = step.choices.find((choice) => choice.value === step.chosen)?.label;
    this.seen.push(
      `${step.step}/${step.steps} ${step.choices.map((choice) => choice.label).join('|')} [${chosen ?? ''}]`,
    );
    return this.#answer((label) => {
      const choice = step.choices.find((candidate) => candidate.label === label);
      assert.ok(choice !== undefined, `${label} is not offered`);
      return choice.value;
    });
  }

  async input(step: InputStep): Promise<Answer<string>> {
    this.seen.push(`${step.step}/${step.steps} [${step.value}]`);
    return this.#answer((text) => {
      assert.equal(step.problem(text), undefined);
      return text;
    });
  }

  #answer<T>(read: (text: string) => T): Answer<T> {
    const reply = this.#replies.shift() ?? CANCEL;
    if (reply === BACK) return { kind: 'back' };
    return reply === CANCEL || typeof reply !== 'string' ? { kind: 'cancel' } : { kind: 'next', value: read(reply) };
  }
}

function read(kind: EntryKind, text: string): unknown {
  const result = readEntry(kind, text, 'posix');
  return result.kind === 'entry' ? result.entry : result.problem;
}

suite('the Add Server wizard', () => {
  test('asks step by step and gives the whole entry', async () => {
    const person = new ScriptedPerson([
      'npm Package',
      '@modelcontextprotocol/server-memory',
      'memory-2',
      'All Workspaces',
      'Enable and Start Now',
    ]);
    assert.deepEqual(await askForServer(person, CONTEXT), {
      id: 'memory-2',
      entry: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
      target: 'user',
      start: true,
    });
    assert.deepEqual(person.seen, [
      '1/5 Command|URL|npm Package []',
      '2/5 []',
      '3/5 [memory-2]',
      '4/5 This Workspace|All Workspaces []',
      '5/5 Enable and Start Now|Only Add It []',
    ]);
  });

  test('goes back to what was answered, and lets a suggested name follow a correction', async () => {
    const person = new ScriptedPerson([
      'Command',
      'node notes.js',
      BACK,
      'node tasks.js',
      BACK,
      BACK,
      'URL',
      'https://mcp.example.com/x',
      'mine',
      BACK,
      BACK,
      'https://other.test/',
      'mine',
      'This Workspace',
      'Only Add It',
    ]);
    assert.deepEqual(await askForServer(person, CONTEXT), {
      id: 'mine',
      entry: { url: 'https://other.test/' },
      target: 'workspace',
      start: false,
    });
    assert.deepEqual(person.seen, [
      '1/5 Command|URL|npm Package []',
      '2/5 []',
      '3/5 [notes]',
      '2/5 [node notes.js]',
      '3/5 [tasks]',
      '2/5 [node tasks.js]',
      '1/5 Command|URL|npm Package [Command]',
      '2/5 []',
      '3/5 [example]',
      '4/5 This Workspace|All Workspaces []',
      '3/5 [mine]',
      '2/5 [https://mcp.example.com/x]',
      '3/5 [mine]',
      '4/5 This Workspace|All Workspaces []',
      '5/5 Enable and Start Now|Only Add It []',
    ]);
  });

  test('does not ask where to write in an empty window', async () => {
    const person = new ScriptedPerson(['Command', 'x', 'y', 'Only Add It']);
    const server = await askForServer(person, { ...CONTEXT, hasWorkspace: false });
    assert.deepEqual([server?.target, person.seen.length], ['user', 4]);
  });

  test('gives nothing when the user turns away at any step, or goes back from the first', async () => {
    const whole = ['Command', 'node x.js', 'x', 'This Workspace', 'Only Add It'];
    for (let length = 0; length < whole.length; length++)
      assert.equal(await askForServer(new ScriptedPerson([...whole.slice(0, length), CANCEL]), CONTEXT), undefined);
    assert.equal(await askForServer(new ScriptedPerson([BACK]), CONTEXT), undefined);
  });
});

suite('the input for a new server', () => {
  test('becomes an entry', () => {
    assert.deepEqual(read('command', 'node "my server.js" -v'), { command: 'node', args: ['my server.js', '-v'] });
    assert.deepEqual(read('command', ' server '), { command: 'server' });
    assert.deepEqual(read('url', ' https://example.com/mcp?x=1 '), { url: 'https://example.com/mcp?x=1' });
    assert.deepEqual(read('npm', '@a/files@1.2.0 "${workspaceFolder}" .'), {
      command: 'npx',
      args: ['-y', '@a/files@1.2.0', '${workspaceFolder}', '.'],
    });
  });

  test('is refused with what to change', () => {
    assert.deepEqual(
      [
        read('command', ' '),
        read('command', 'node "x'),
        read('command', '"" x'),
        read('url', 'example.com'),
        read('url', 'file:///etc'),
        read('url', 'https://me:pw@example.com'),
        read('npm', '--evil'),
        read('npm', 'Not/A/Name'),
        read('npm', ''),
      ],
      [
        'Enter the command that starts the server.',
        'A closing " is missing.',
        'Enter the command that starts the server.',
        'Enter an address that starts with https://, http://, wss:// or ws://.',
        'Enter an address that starts with https://, http://, wss:// or ws://.',
        'Leave the user name and password out: put them into "headers" in the settings, with ${input:…}.',
        'Enter the name of an npm package, such as @modelcontextprotocol/server-memory.',
        'Enter the name of an npm package, such as @modelcontextprotocol/server-memory.',
        'Enter the name of the npm package.',
      ],
    );
  });

  test('suggests a distinctive, unused name', () => {
    const suggest = (kind: EntryKind, text: string): string => {
      const result = readEntry(kind, text, 'posix');
      return result.kind === 'entry' ? suggestId(result.entry, CONTEXT.taken) : '';
    };
    assert.deepEqual(
      [
        suggest('npm', '@modelcontextprotocol/server-memory'),
        suggest('npm', 'mcp-server-git@2'),
        suggest('npm', 'notes-mcp'),
        suggest('command', 'node /home/me/weather/dist/index.js --x'),
        suggest('command', 'uvx mcp-server-time'),
        suggest('command', 'python -m my_tools.server'),
        suggest('command', '${workspaceFolder}/bin/files.exe'),
        suggest('command', 'node server.js'),
        suggest('url', 'https://mcp.example.com/v1'),
        suggest('url', 'http://127.0.0.1:8080/mcp'),
        suggest('url', '${input:address}'),
      ],
      [
        'memory-2',
        'git',
        'notes',
        'weather',
        'time',
        'my_tools.server',
        'files',
        'server',
        'example',
        'local',
        'server',
      ],
    );
  });

  test('can be a name that settings take and no other server has', () => {
    assert.deepEqual(
      ['files', 'memory', '', '-x', 'a b', 'x'.repeat(65)].map((id) => idProblem(id, CONTEXT.taken)?.slice(0, 24)),
      [undefined, 'There is a server "memor', ...Array.from({ length: 4 }, () => 'Use 1 to 64 letters, dig')],
    );
  });
});
