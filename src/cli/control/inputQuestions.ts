import {
  type AuthBrowser,
  type AuthPrompt,
  type ClientQuestion,
  collectArguments,
  decodeResult,
  type Elicitor,
  type EnteredClient,
  fillForm,
  type FormAnswer,
  type FormField,
  type FormQuestion,
  type FormValues,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  type Sampler,
  type SamplingOutcome,
  type SamplingQuestion,
  type SamplingResult,
  type UrlAnswer,
  type UrlQuestion,
  Malformed,
} from '../../core/index.ts';
import type { Question, Questions } from './questions.ts';

/** Asks the driver what servers ask users and models. */
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
      // A driver without tool support can answer with text.
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

/** Wrapped, because "no client" is an answer and `undefined` is not. */
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

type Piece = SamplingResult['content'][number];

/** A sampling request for a program, with request and result in MCP's format. */
function samplingQuestion({ server, request, remarks }: SamplingQuestion): Question<SamplingOutcome> {
  return {
    details: { kind: 'sampling', server, request: request.raw, remarks },
    dismissed: { kind: 'declined' },
    decode: (answer) => {
      if (answer === null || answer === 'declined') return { kind: 'declined' };
      if (!isJsonObject(answer)) return undefined;
      const { result, unavailable } = answer;
      if (typeof unavailable === 'string') return { kind: 'unavailable', reason: unavailable };
      return result === undefined ? undefined : { kind: 'answered', result: decodeSampled(result) };
    },
  };
}

function decodeSampled(value: Json): SamplingResult {
  if (!isJsonObject(value)) throw new Malformed('"result" must be an object: {"content": …, "model": "…"}.');
  const { content, model, stopReason } = value;
  if (typeof model !== 'string') throw new Malformed('"model" in "result" must be a text: the name of the model.');
  if (content === undefined) throw new Malformed('"content" in "result" is missing: what the model said.');
  if (stopReason !== undefined && typeof stopReason !== 'string')
    throw new Malformed('"stopReason" in "result" must be a text.');
  const pieces = isJsonArray(content) ? content.map(decodePiece) : [decodePiece(content)];
  return { content: pieces, model, stopReason };
}

function decodePiece(value: Json): Piece {
  if (isJsonObject(value) && value['type'] === 'tool_use') {
    const { id, name, input } = value;
    if (typeof id === 'string' && typeof name === 'string' && isJsonObject(input))
      return { type: 'tool_use', id, name, input };
  }
  const [block] = decodeResult({ content: [value] }).blocks;
  const isSayable = block?.type === 'text' || block?.type === 'image' || block?.type === 'audio';
  if (block === undefined || !isSayable)
    throw new Malformed('"content" in "result" must hold texts, pictures, sounds or uses of tools.');
  return block;
}

/** A form for a program, with values as the server will get them instead of typed text. */
function formQuestion(question: FormQuestion): Question<FormAnswer> {
  const { server, message, form, values, errors, sensitive, remarks } = question;
  const collected = collectArguments(form, values);
  return {
    details: {
      kind: 'form',
      server,
      message,
      fields: form.fields.map(fieldView),
      values: collected.kind === 'arguments' ? collected.args : collected.rest,
      errors: { ...errors },
      sensitive,
      remarks,
    },
    dismissed: { kind: 'cancel' },
    decode: (answer) => {
      const action = isJsonObject(answer) ? answer['action'] : answer;
      if (action === null || action === 'cancel') return { kind: 'cancel' };
      if (action === 'decline') return { kind: 'decline' };
      if (action !== 'accept') return undefined;
      return { kind: 'accept', values: valuesOf(question, isJsonObject(answer) ? answer['values'] : undefined) };
    },
  };
}

/** Without values, the form is sent with its defaults. */
function valuesOf({ form, values }: FormQuestion, given: Json | undefined): FormValues {
  if (given === undefined) return values;
  if (!isJsonObject(given)) throw new Malformed('"values" must be an object: {"<name of a field>": <its value>}.');
  const unknown = Object.keys(given).find((name) => !form.fields.some((field) => field.name === name));
  if (unknown !== undefined) throw new Malformed(`The form has no field "${unknown}".`);
  const wrong = Object.entries(given).find(([name, value]) => fillForm(form, { [name]: value }) === undefined);
  if (wrong !== undefined) throw new Malformed(`The field "${wrong[0]}" cannot have that value.`);
  return fillForm(form, given) ?? {};
}

function fieldView(field: FormField): JsonObject {
  switch (field.kind) {
    case 'group': {
      const { fields, ...rest } = field;
      return { ...rest, fields: fields.map(fieldView) };
    }
    case 'choice':
    case 'choices': {
      const { options, ...rest } = field;
      return { ...rest, options: options.map((option) => ({ ...option })) };
    }
    case 'list': {
      const { item, ...rest } = field;
      return { ...rest, item: { ...item } };
    }
    default:
      return { ...field };
  }
}
