import type { Json, JsonObject } from '../../../../src/core/base/json.ts';
import type { CancellationToken } from '../../../../src/core/base/cancellation.ts';
import { Deferred } from '../../../../src/core/base/async.ts';
import type {
  Elicitor,
  FormAnswer,
  FormQuestion,
  Sampler,
  SamplingOutcome,
  SamplingQuestion,
  SchemaVerdict,
  UrlAnswer,
  UrlQuestion,
} from '../../../../src/core/inputPorts.ts';
import { settle } from '../../../support/fakeClock.ts';
import { initializeResult, ScriptedServer } from '../../../support/scriptedServer.ts';
import { TestHost } from '../../../support/testHost.ts';
import { modernServer } from '../session/statelessServer.ts';

export interface Shown<Question, Answer> {
  readonly question: Question;
  readonly token: CancellationToken;
  readonly answer: Deferred<Answer>;
}

function show<Question, Answer>(list: Shown<Question, Answer>[]) {
  return (question: Question, token: CancellationToken): Promise<Answer> => {
    const answer = new Deferred<Answer>();
    list.push({ question, token, answer });
    return answer.promise;
  };
}

/** A user who gets every question. The test gives the answers. */
export class Person implements Elicitor, Sampler {
  readonly forms: Shown<FormQuestion, FormAnswer>[] = [];
  readonly pages: Shown<UrlQuestion, UrlAnswer>[] = [];
  readonly visits: Shown<UrlQuestion, 'continue' | 'cancel'>[] = [];
  readonly prompts: Shown<SamplingQuestion, SamplingOutcome>[] = [];
  readonly ended: string[] = [];
  canUseTools = false;

  readonly form = show(this.forms);
  readonly url = show(this.pages);
  readonly finish = show(this.visits);
  readonly sample = show(this.prompts);

  finished({ url }: UrlQuestion): void {
    this.ended.push(url);
  }
}

const opened: InputHost[] = [];

/** For the `teardown` of a suite, so that failed tests leave nothing behind. */
export async function closeAll(): Promise<void> {
  for (const host of opened.splice(0)) await host.t.host.close();
}

export class InputHost {
  readonly t = new TestHost();
  readonly person = new Person();
  /** The verdict of the schema checker. Default: valid. */
  judge: (schema: JsonObject, value: Json) => SchemaVerdict = () => ({ kind: 'ok' });
  #ids = 0;

  constructor() {
    this.t.inputPorts.elicitor = this.person;
    this.t.inputPorts.sampler = this.person;
    this.t.inputPorts.schemaChecker = { check: (schema, value) => Promise.resolve(this.judge(schema, value)) };
    opened.push(this);
  }

  async start(server: ScriptedServer): Promise<this> {
    this.t.connect = () => server;
    await this.t.user({ a: { command: 'x', enabled: true } });
    return this;
  }

  /** Sends a request of the server. Returns its id. */
  async asks(method: string, params: JsonObject): Promise<string> {
    const id = `s${++this.#ids}`;
    this.t.server.say({ jsonrpc: '2.0', id, method, params });
    await settle();
    return id;
  }

  /** The answer: a result, an error as text, or `undefined` so far. */
  answerTo(id: string): Json | undefined {
    const found = this.t.server.messages.filter((message) => message['id'] === id && message['method'] === undefined);
    if (found.length > 1) throw new Error(`${id} was answered twice.`);
    const error = found[0]?.['error'] as JsonObject | undefined;
    return error === undefined ? found[0]?.['result'] : `${String(error['code'])} ${String(error['message'])}`;
  }
}

export function legacy(
  protocolVersion: string,
  responders: ConstructorParameters<typeof ScriptedServer>[0] = {},
  capabilities: JsonObject = { tools: {} },
): Promise<InputHost> {
  const server = new ScriptedServer({
    initialize: () => initializeResult({ protocolVersion, capabilities }),
    ...responders,
  });
  return new InputHost().start(server);
}

export async function modern(responders: ConstructorParameters<typeof ScriptedServer>[0]): Promise<InputHost> {
  const host = new InputHost();
  host.t.era = 'modern';
  return host.start(modernServer(responders));
}
