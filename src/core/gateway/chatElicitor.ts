import { Deferred } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { isJsonObject, type JsonObject } from '../base/json.ts';
import { fillForm } from '../form/fillForm.ts';
import type { Elicitor, FormAnswer, FormQuestion, UrlAnswer, UrlQuestion } from '../inputPorts.ts';
import type { ClientLocation } from './clientRequests.ts';
import type { GatewayClients } from './gatewayClients.ts';

/**
 * Asks only in the chat at first. A notification would cover the chat's form, and cannot be removed once the form is
 * answered.
 */
const HEAD_START_MS = 10_000;

/**
 * Shows a server's form in the chat that made the call, and after a delay also in the host's own prompt. The first
 * answer counts and closes the other.
 *
 * Only the host shows pages to visit, forms that seem to ask for a secret, and forms that are repeated because of
 * invalid input. Approvals of the host never use this path (`clientRequests.ts`), so the client's answer only
 * affects what the server receives.
 */
export class ChatElicitor implements Elicitor {
  readonly #own: Elicitor;
  readonly #clients: Pick<GatewayClients, 'chatOf'>;
  readonly #clock: Clock;

  constructor(own: Elicitor, clients: Pick<GatewayClients, 'chatOf'>, clock: Clock) {
    this.#own = own;
    this.#clients = clients;
    this.#clock = clock;
  }

  form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    const { schema } = question;
    const chat = schema !== undefined && isFirst(question) ? this.#clients.chatOf(question.server) : undefined;
    return schema === undefined || chat === undefined
      ? this.#own.form(question, token)
      : this.#both(question, formParams(question, schema), chat, token);
  }

  url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
    return this.#own.url(question, token);
  }

  finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    return this.#own.finish(question, token);
  }

  finished(question: UrlQuestion): void {
    this.#own.finished(question);
  }

  async #both(
    question: FormQuestion,
    params: JsonObject,
    chat: ClientLocation,
    token: CancellationToken,
  ): Promise<FormAnswer> {
    const source = new CancellationSource();
    const ends = token.onCancellationRequested(() => source.cancel());
    const isTime = new Deferred<void>();
    const headStart = this.#clock.delay(HEAD_START_MS, () => isTime.resolve());
    // An error or another answer of the client leaves the question open here.
    const inChat = chat.ask('elicitation/create', params, source.token).then(
      (result) => answerOf(question, result),
      () => undefined,
    );
    const here = isTime.promise.then(() => (source.isCancelled ? CLOSED : this.#own.form(question, source.token)));
    const unlessInChat = async (): Promise<FormAnswer> => {
      const answer = await inChat;
      if (answer === undefined) isTime.resolve();
      return answer ?? here;
    };
    try {
      return await Promise.race([
        unlessInChat(),
        // Closing the notification does not answer the question in the chat.
        here.then(async (answer) => (answer.kind === 'cancel' ? ((await inChat) ?? answer) : answer)),
      ]);
    } finally {
      ends.dispose();
      headStart.dispose();
      source.cancel();
      source.dispose();
      isTime.resolve();
    }
  }
}

const CLOSED: FormAnswer = { kind: 'cancel' };

function isFirst({ sensitive, errors, remarks }: FormQuestion): boolean {
  return sensitive.length === 0 && remarks.length === 0 && Object.keys(errors).length === 0;
}

/** The client must show which server asks. Breaks up links. */
function formParams({ server, message }: FormQuestion, schema: JsonObject): JsonObject {
  return { message: `${server}: ${message}`.replaceAll('](', '] ('), requestedSchema: schema };
}

function answerOf({ form }: FormQuestion, result: JsonObject | undefined): FormAnswer | undefined {
  switch (result?.['action']) {
    case 'accept': {
      const { content = {} } = result;
      const values = isJsonObject(content) ? fillForm(form, content) : undefined;
      return values === undefined ? undefined : { kind: 'accept', values };
    }
    case 'decline':
      return { kind: 'decline' };
    case 'cancel':
      return { kind: 'cancel' };
    default:
      return undefined;
  }
}
