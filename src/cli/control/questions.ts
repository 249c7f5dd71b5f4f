import {
  type CancellationToken,
  Deferred,
  type InputAnswer,
  type Json,
  type JsonObject,
  type StartAnswer,
  type StartQuestion,
  Malformed,
} from '../../core/index.ts';
import { declaredInput } from '../settingsFile.ts';

interface Open {
  /** Returns false if this is no answer to the question. Throws `Malformed` with a reason if possible. */
  readonly take: (answer: Json) => boolean;
}

/** An open question and its valid answers. */
export interface Question<T> {
  readonly details: JsonObject;
  /** The default answer. */
  readonly dismissed: T;
  /** Returns `undefined` if this is no answer. Throws `Malformed` with a reason if possible. */
  readonly decode: (answer: Json) => T | undefined;
}

/** The host's questions to the driver. */
export class Questions {
  readonly #tell: (event: JsonObject) => void;
  readonly #open = new Map<string, Open>();
  /** Answers to inputs, kept in memory only, by who defines the server. */
  readonly #inputs = new Map<string, InputAnswer>();
  #lastId = 0;
  #declared: Json | undefined;

  constructor(tell: (event: JsonObject) => void) {
    this.#tell = tell;
  }

  declare(inputs: Json | undefined): void {
    this.#declared = inputs;
  }

  /** Takes the driver's answer. Returns the problem, if any. */
  answer(question: string, answer: Json): string | undefined {
    const open = this.#open.get(question);
    if (open === undefined) return `There is no open question "${question}".`;
    try {
      if (!open.take(answer)) return 'This is no answer to that question.';
    } catch (error) {
      if (error instanceof Malformed) return error.message;
      throw error;
    }
    this.#open.delete(question);
    return undefined;
  }

  askStart(question: StartQuestion, token: CancellationToken): Promise<StartAnswer> {
    const { server, reason, kind: connection, target, cwd, remarks } = question;
    const details = {
      kind: 'start',
      server,
      reason,
      connection,
      target,
      cwd,
      remarks,
      answers: ['start', 'dontStart'],
    };
    const decode = (answer: Json): StartAnswer | undefined =>
      answer === 'start' || answer === 'dontStart' ? answer : answer === null ? 'dismissed' : undefined;
    return this.ask({ details, dismissed: 'dismissed', decode }, token);
  }

  async askInput(id: string, token: CancellationToken, definedBy: 'user' | 'workspace'): Promise<InputAnswer> {
    const key = JSON.stringify([definedBy, id]);
    const known = this.#inputs.get(key);
    if (known !== undefined) return known;
    const declared = declaredInput(this.#declared, id);
    if (declared === undefined) return { kind: 'undeclared' };
    const { description, secret, options, default: preset } = declared;
    const details = { kind: 'input', input: id, definedBy, description, secret, options, default: preset };
    const decode = (answer: Json): InputAnswer | undefined => {
      if (answer === null) return { kind: 'declined' };
      if (typeof answer !== 'string' || options?.includes(answer) === false) return undefined;
      return { kind: 'value', value: answer, secret };
    };
    const given = await this.ask<InputAnswer>({ details, dismissed: { kind: 'declined' }, decode }, token);
    if (given.kind === 'value') this.#inputs.set(key, given);
    return given;
  }

  /** Reports something other than a question. */
  tell(event: JsonObject): void {
    this.#tell(event);
  }

  async ask<T>({ details, dismissed, decode }: Question<T>, token: CancellationToken): Promise<T> {
    if (token.isCancellationRequested) return dismissed;
    const question = `q${++this.#lastId}`;
    const answered = new Deferred<T>();
    this.#open.set(question, {
      take: (answer) => {
        const decoded = decode(answer);
        if (decoded !== undefined) answered.resolve(decoded);
        return decoded !== undefined;
      },
    });
    const listening = token.onCancellationRequested(() => {
      this.#tell({ event: 'questionClosed', question });
      answered.resolve(dismissed);
    });
    this.#tell({ event: 'question', question, ...details });
    try {
      return await answered.promise;
    } finally {
      listening.dispose();
      this.#open.delete(question);
    }
  }
}
