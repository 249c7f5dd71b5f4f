import * as vscode from 'vscode';
import {
  type CancellationToken,
  type Clock,
  type Elicitor,
  type FormAnswer,
  type FormQuestion,
  type GatewayClients,
  ignoreFailure,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type UrlAnswer,
  type UrlQuestion,
} from '../../core/index.ts';
import { baseModels } from '../models/baseModels.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import { COMMANDS } from '../shared/ids.ts';
import { targetOf } from '../shared/quickPicker.ts';
import type { EditorSampler, SamplerTools } from './sampler.ts';
import type { EditorServices } from '../shared/services.ts';
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
    const { ChatElicitor, EditorElicitor } = await import('../pages.ts');
    return new ChatElicitor(new EditorElicitor(this.#questions, this.#extensionUri), this.#clients, this.#clock);
  }
}

/** What runs servers' prompts on the editor's models, or on those that only its chats have; loaded with the first of them. */
export class LazySampler implements Sampler {
  readonly canUseTools = true;
  readonly #tools: SamplerTools;
  readonly #clients: GatewayClients;
  #own: EditorSampler | undefined;
  #sampler: Pick<Sampler, 'sample'> | undefined;

  constructor(tools: SamplerTools, clients: GatewayClients) {
    this.#tools = tools;
    this.#clients = clients;
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const { ChatSampler } = await import('../pages.ts');
    const own = await this.#loaded();
    this.#sampler ??= new ChatSampler({
      own,
      clients: this.#clients,
      hasModel: async () => (await baseModels()).length > 0,
    });
    return this.#sampler.sample(question, token);
  }

  /** `mcpl.sampling.forget` */
  registerCommands(services: Pick<EditorServices, 'failures'>): vscode.Disposable {
    const failed = vscode.l10n.t('The decisions about language models were not forgotten');
    return registerCommand(services, COMMANDS.samplingForget, { failed }, async (argument) =>
      (await this.#loaded()).forget(targetOf(argument)?.server),
    );
  }

  async #loaded(): Promise<EditorSampler> {
    const { EditorSampler } = await import('../pages.ts');
    // One for all: it remembers what was decided in this session, and which servers the person was told of.
    this.#own ??= new EditorSampler(this.#tools);
    return this.#own;
  }
}
