import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Clock,
  type Elicitor,
  type FormAnswer,
  type FormQuestion,
  type GatewayClients,
  ignoreFailure,
  type Logger,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type UrlAnswer,
  type UrlQuestion,
} from '../core/index.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

/** What puts servers' questions to the person, also in the chat whose call made one ask; loaded with the first of them. */
export class LazyElicitor implements Elicitor {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;
  readonly #clients: GatewayClients;
  readonly #clock: Clock;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri, clients: GatewayClients, clock: Clock) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
    this.#clients = clients;
    this.#clock = clock;
  }

  async form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    return (await this.#elicitor()).form(question, token);
  }

  async url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
    return (await this.#elicitor()).url(question, token);
  }

  async finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    return (await this.#elicitor()).finish(question, token);
  }

  finished(question: UrlQuestion): void {
    // The question before it failed in the same way, and said so.
    ignoreFailure(this.#elicitor().then((elicitor) => elicitor.finished(question)));
  }

  async #elicitor(): Promise<Elicitor> {
    const { ChatElicitor, EditorElicitor } = await import('./pages.ts');
    return new ChatElicitor(new EditorElicitor(this.#questions, this.#extensionUri), this.#clients, this.#clock);
  }
}

/** What runs servers' prompts on the editor's models, or on those that only its chats have; loaded with the first of them. */
export class LazySampler implements Sampler {
  readonly canUseTools = true;
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;
  readonly #log: Logger;
  readonly #clients: GatewayClients;
  #sampler: Pick<Sampler, 'sample'> | undefined;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri, log: Logger, clients: GatewayClients) {
    this.#clients = clients;
    this.#questions = questions;
    this.#extensionUri = extensionUri;
    this.#log = log;
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const { ChatSampler, EditorSampler } = await import('./pages.ts');
    // One for all: it remembers which servers the person was told of.
    this.#sampler ??= new ChatSampler({
      own: new EditorSampler(this.#questions, this.#extensionUri, this.#log),
      clients: this.#clients,
      hasModel: async () => (await vscode.lm.selectChatModels()).length > 0,
    });
    return this.#sampler.sample(question, token);
  }
}
