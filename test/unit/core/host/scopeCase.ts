import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { PendingApproval } from '../../../../src/core/index.ts';
import type { Storage } from '../../../../src/core/ports.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer, tool } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { fakeFiles } from '../../../support/fakeFiles.ts';

export const edit = { description: 'Edits files.', uses: ['tools'], scoped: true };
export const path = {
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
};
export const LISTS = { whitelist: ['${workspaceFolder}/src/**'], blacklist: ['**/.env', '**/secrets/**'] };

export interface ScopeSetting {
  readonly mcpl?: Json | undefined;
  readonly entry?: JsonObject;
  readonly storage?: Storage;
  readonly tools?: readonly JsonObject[];
}

/** A host with one server whose set `files` is scoped, and a user whose answers the test gives. */
export class ScopeCase {
  readonly t: TestHost;
  readonly asked: PendingApproval[] = [];
  readonly settled: string[] = [];
  readonly entry: JsonObject;

  private constructor(t: TestHost, entry: JsonObject) {
    this.t = t;
    this.entry = entry;
  }

  static async open(setting: ScopeSetting = {}): Promise<ScopeCase> {
    const { entry = {}, storage, mcpl = { version: '0.2', featureSets: { files: edit } } } = setting;
    const tools = setting.tools ?? [tool('write', { ...path, _meta: { featureSet: 'files' } })];
    const t = new TestHost(storage);
    const capabilities = mcpl === null ? { tools: {} } : { tools: {}, experimental: { mcpl } };
    t.fileNames = fakeFiles({
      '/project/src/a.ts': 'file',
      '/project/secrets/k': 'file',
      '/project/link': { link: '/etc' },
      '/etc/hosts': 'file',
    });
    t.connect = () =>
      new ScriptedServer({
        initialize: () => initializeResult({ capabilities }),
        'tools/list': () => ({ tools }),
        'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
        'featureSets/update': () => ({ accepted: true }),
      });
    const whole = {
      command: 'x',
      cwd: '/project',
      enabled: true,
      featureSets: { enabled: ['files'] },
      scopes: { files: LISTS },
      ...entry,
    };
    const scope = new ScopeCase(t, whole);
    t.host.approvals.onDidAsk((approval) => scope.asked.push(approval));
    t.host.approvals.onDidSettle(({ approval, outcome }) => {
      const how = outcome.kind === 'approved' ? outcome.choice : outcome.why;
      scope.settled.push(`${approval.subject.targets.map(({ real }) => real).join()}: ${how}`);
    });
    await t.user({ a: whole });
    // Drops the question about running in the workspace.
    t.questions.length = 0;
    return scope;
  }

  /** Changes members of the entry, like an edit of the settings file. */
  async rewrite(members: JsonObject): Promise<void> {
    await this.t.user({ a: { ...this.entry, ...members } });
    await settle();
  }

  async elevate(label: string, payload?: JsonObject, id: string | number = 'e'): Promise<void> {
    const scope = payload === undefined ? { label } : { label, payload };
    this.t.server.say({ jsonrpc: '2.0', id, method: 'scope/elevate', params: { featureSet: 'files', scope } });
    await settle();
  }

  async choose(choice: 'once' | 'session' | 'workspace' | 'deny' | 'dismiss'): Promise<void> {
    const last = this.t.host.approvals.pending().at(-1);
    if (last === undefined) throw new Error('Nobody is asked.');
    await this.t.host.approvals.answer(last.id, choice);
    await settle();
  }

  get answers(): readonly string[] {
    return this.t.server.heard.filter((line) => line.startsWith('answer ')).map((line) => line.slice(7));
  }

  get calls(): readonly string[] {
    return this.t.server.heard
      .filter((line) => line.startsWith('tools/call '))
      .map((line) => line.slice(11).replace(/,"_meta":.*$/, '}'));
  }

  async call(args: JsonObject, name = 'write', server = 'a'): Promise<string> {
    const called = this.t.host.callTool({ server, tool: name, args, route: 'gateway' });
    const outcome = called.then(
      (result) => result.modelText,
      (error: unknown) => String(error instanceof Error ? error.message : error),
    );
    await settle();
    return Promise.race([outcome, Promise.resolve('waits')]);
  }

  async decisions(): Promise<readonly string[]> {
    const entries = await this.t.host.approvals.history(20);
    return entries.map(({ featureSet, outcome, detail }) => [featureSet, outcome, detail].join(' | '));
  }

  close(): Promise<void> {
    return this.t.host.close();
  }
}
