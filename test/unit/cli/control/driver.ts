import { DriverModels } from '../../../../src/cli/control/driverModels.ts';
import { Questions } from '../../../../src/cli/control/questions.ts';
import { ControlSession } from '../../../../src/cli/control/controlSession.ts';
import type { SignInAccount, JsonObject } from '../../../../src/core/index.ts';
import { memoryStorage } from '../../../../src/node/store/memoryStorage.ts';
import { FakeHost } from '../fakeHost.ts';

const ACCOUNT: SignInAccount = {
  server: 'https://notes.test/mcp',
  variant: '',
  issuer: 'https://login.test',
  resource: 'https://notes.test/mcp',
  scopes: ['read'],
  isPinned: false,
  at: 7,
};

/** A driver with a fake host, and its messages. */
export class Driver {
  readonly host = new FakeHost();
  readonly written: JsonObject[] = [];
  readonly questions: Questions;
  readonly session: ControlSession;
  readonly models: DriverModels;
  isShutDown = false;

  constructor() {
    const write = (message: JsonObject): void => void this.written.push(message);
    this.questions = new Questions(write);
    this.models = new DriverModels(this.questions);
    this.session = new ControlSession({
      host: this.host,
      consents: memoryStorage().consents,
      accounts: {
        list: () => Promise.resolve([ACCOUNT]),
        signOut: (url) => Promise.resolve(url === ACCOUNT.server),
      },
      questions: this.questions,
      models: this.models,
      write,
      settings: { servers: { files: {} }, workspaceServers: undefined, inputs: undefined, trusted: true },
      onShutdown: () => (this.isShutDown = true),
    });
  }

  /** Sends lines. Returns all messages until silence, without undefined members, as on the wire. */
  async say(...lines: readonly (string | object)[]): Promise<unknown> {
    for (const line of lines) this.session.receive(typeof line === 'string' ? line : JSON.stringify(line));
    await new Promise((resolve) => setImmediate(resolve));
    return this.heard();
  }

  heard(): unknown {
    const heard: unknown = JSON.parse(JSON.stringify(this.written.splice(0)));
    return heard;
  }

  dispose(): void {
    this.session.dispose();
    this.host.traced.dispose();
  }
}
