import {
  type AuthBrowser,
  type AuthPrompt,
  type ClientQuestion,
  type Elicitor,
  type EnteredClient,
  isJsonObject,
  type Json,
  type Sampler,
  type UrlAnswer,
  type UrlQuestion,
} from '../../core/index.ts';
import { formQuestion } from './formQuestion.ts';
import type { Question, Questions } from './questions.ts';
import { samplingQuestion } from './samplingQuestion.ts';

/** Has a driver answer what servers ask of a person and of models. */
export interface DriverInputs {
  readonly elicitor: Elicitor;
  readonly sampler: Sampler;
  readonly authPrompt: AuthPrompt;
  readonly authBrowser: AuthBrowser;
}

export function driverInputs(questions: Questions): DriverInputs {
  return {
    elicitor: {
      form: (question, token) => questions.ask(formQuestion(question), token),
      url: (question, token) => questions.ask(urlQuestion(question), token),
      finish: (question, token) => questions.ask(finishQuestion(question), token),
      finished: ({ server, url, elicitationId }) =>
        questions.tell({ event: 'pageFinished', server, url, elicitationId }),
    },
    sampler: {
      // A driver that knows no tools answers with a text, which is an answer too.
      canUseTools: true,
      sample: (question, token) => questions.ask(samplingQuestion(question), token),
    },
    authPrompt: {
      consent: ({ server, reason, resource, issuer, scopes }, token) => {
        const details = { kind: 'signIn', server, reason, resource, issuer, scopes };
        return questions.ask({ details, dismissed: false, decode: (answer) => booleanOf(answer) }, token);
      },
      askClient: async (question, token) => (await questions.ask(clientQuestion(question), token)).client,
    },
    authBrowser: {
      open: (url) => {
        questions.tell({ event: 'open', url });
        return Promise.resolve(true);
      },
    },
  };
}

function urlQuestion(question: UrlQuestion): Question<UrlAnswer> {
  return {
    details: { kind: 'url', ...pageOf(question), answers: ['accept', 'decline'] },
    dismissed: 'cancel',
    decode: (answer) => {
      if (answer === null) return 'cancel';
      return answer === 'accept' || answer === 'decline' || answer === 'cancel' ? answer : undefined;
    },
  };
}

function finishQuestion(question: UrlQuestion): Question<'continue' | 'cancel'> {
  return {
    details: { kind: 'finish', ...pageOf(question), answers: ['continue'] },
    dismissed: 'cancel',
    decode: (answer) =>
      answer === null ? 'cancel' : answer === 'continue' || answer === 'cancel' ? answer : undefined,
  };
}

function pageOf({ server, message, url, host, writtenHost, elicitationId, remarks }: UrlQuestion) {
  return { server, message, url, host, writtenHost, elicitationId, remarks };
}

function booleanOf(answer: Json): boolean | undefined {
  return answer === null ? false : typeof answer === 'boolean' ? answer : undefined;
}

/** Wrapped, because no client is an answer and `undefined` is none. */
function clientQuestion(question: ClientQuestion): Question<{ readonly client: EnteredClient | undefined }> {
  return {
    details: { kind: 'client', ...question },
    dismissed: { client: undefined },
    decode: (answer) => {
      if (answer === null) return { client: undefined };
      if (!isJsonObject(answer)) return undefined;
      const { clientId, clientSecret } = answer;
      if (typeof clientId !== 'string') return undefined;
      if (clientSecret !== undefined && typeof clientSecret !== 'string') return undefined;
      return { client: { clientId, clientSecret } };
    },
  };
}
