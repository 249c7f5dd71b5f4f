import * as vscode from 'vscode';
import {
  type AsyncLazy,
  asyncLazy,
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

/** Shows servers' questions to the user, and in the chat that made the call. Loaded on first use. */
export class LazyElicitor implements Elicitor {
  readonly #elicitor: AsyncLazy<Elicitor>;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri, clients: GatewayClients, clock: Clock) {
    this.#elicitor = asyncLazy(
      () => import('./lazy.ts'),
      ({ ChatElicitor, EditorElicitor }) =>
        new ChatElicitor(new EditorElicitor(questions, extensionUri), clients, clock),
    );
  }

  async form(question: FormQuestion, token: CancellationToken): Promise<FormAnswer> {
    return (await this.#elicitor.get()).form(question, token);
  }

  async url(question: UrlQuestion, token: CancellationToken): Promise<UrlAnswer> {
    return (await this.#elicitor.get()).url(question, token);
  }

  async finish(question: UrlQuestion, token: CancellationToken): Promise<'continue' | 'cancel'> {
    return (await this.#elicitor.get()).finish(question, token);
  }

  finished(question: UrlQuestion): void {
    // The earlier question reported the same failure.
    ignoreFailure(this.#elicitor.get().then((elicitor) => elicitor.finished(question)));
  }
}

/** Runs sampling on the editor's models, or on those that only its chats have. Loaded on first use. */
export class LazySampler implements Sampler {
  readonly canUseTools = true;
  /** One for all servers: it remembers what was decided in this session, and which servers the user knows about. */
  readonly #samplers: AsyncLazy<{ readonly own: EditorSampler; readonly chat: Pick<Sampler, 'sample'> }>;

  constructor(tools: SamplerTools, clients: GatewayClients) {
    this.#samplers = asyncLazy(
      () => import('./lazy.ts'),
      ({ ChatSampler, EditorSampler }) => {
        const own = new EditorSampler(tools);
        return { own, chat: new ChatSampler({ own, clients, hasModel: async () => (await baseModels()).length > 0 }) };
      },
    );
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    return (await this.#samplers.get()).chat.sample(question, token);
  }

  /** `mcpl.sampling.forget` */
  registerCommands(services: Pick<EditorServices, 'failures'>): vscode.Disposable {
    const failed = vscode.l10n.t('The decisions about language models were not forgotten');
    return registerCommand(services, COMMANDS.samplingForget, { failed }, async (argument) =>
      (await this.#samplers.get()).own.forget(targetOf(argument)?.server),
    );
  }
}
