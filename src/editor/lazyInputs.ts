import type * as vscode from 'vscode';
import {
  type CancellationToken,
  type Elicitor,
  type FormAnswer,
  type FormQuestion,
  ignoreFailure,
  type Logger,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type UrlAnswer,
  type UrlQuestion,
} from '../core/index.ts';
import type { EditorElicitor } from './elicitor.ts';
import type { EditorSampler } from './sampler.ts';
import type { WaitingQuestions } from './waitingQuestions.ts';

/** What puts servers' questions to the person, loaded with the first of them. */
export class LazyElicitor implements Elicitor {
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
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

  async #elicitor(): Promise<EditorElicitor> {
    const { EditorElicitor } = await import('./pages.ts');
    return new EditorElicitor(this.#questions, this.#extensionUri);
  }
}

/** What runs servers' prompts on the editor's models, loaded with the first of them. */
export class LazySampler implements Sampler {
  readonly canUseTools = true;
  readonly #questions: WaitingQuestions;
  readonly #extensionUri: vscode.Uri;
  readonly #log: Logger;
  #sampler: EditorSampler | undefined;

  constructor(questions: WaitingQuestions, extensionUri: vscode.Uri, log: Logger) {
    this.#questions = questions;
    this.#extensionUri = extensionUri;
    this.#log = log;
  }

  async sample(question: SamplingQuestion, token: CancellationToken): Promise<SamplingOutcome> {
    const { EditorSampler } = await import('./pages.ts');
    // One for all: it remembers which servers the person was told of.
    this.#sampler ??= new EditorSampler(this.#questions, this.#extensionUri, this.#log);
    return this.#sampler.sample(question, token);
  }
}
