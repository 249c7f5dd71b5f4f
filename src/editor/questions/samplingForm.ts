import {
  cleanLine,
  cleanText,
  type FormField,
  type FormValues,
  plural,
  type SamplingMessage,
  type SamplingQuestion,
  type SamplingRequest,
  type ToolForm,
} from '../../core/index.ts';
import type { QuestionView } from '../../webview/form/questionMessages.ts';
import { type ModelCandidate, preferredModel } from '../models/modelPreference.ts';
import { fieldBase, REMEMBER_NOTHING, rememberField, textField } from './questionFields.ts';
import { pieceViews, toolViews } from './samplingPieces.ts';

const MODEL = '/model';
const SYSTEM = '/system';
const TOKENS = '/maxTokens';
/** Maximum prompt that fits into a notification. */
const SHORT = 200;

/** A form to edit everything that would be sent, and to remember the decision. */
export function samplingForm(
  { request, fingerprint }: Pick<SamplingQuestion, 'request' | 'fingerprint'>,
  models: readonly ModelCandidate[],
): ToolForm {
  const options = models.map(({ name, vendor, id }) => ({
    label: cleanLine(`${name} (${vendor})`, 100),
    description: cleanLine(id, 100),
    value: id,
  }));
  const system = request.systemPrompt === undefined ? [] : [textField(SYSTEM, 'Instructions to the model')];
  const texts = request.messages.flatMap((message, at) =>
    message.content.flatMap((part, index) =>
      part.type === 'text' ? [textField(partId(at, index), labelOf(message, at, request))] : [],
    ),
  );
  const tokens: FormField = {
    ...fieldBase(TOKENS, 'Longest answer, in tokens'),
    kind: 'number',
    required: true,
    integer: true,
    min: 1,
    max: undefined,
    minExclusive: false,
    maxExclusive: false,
    step: undefined,
  };
  const model: FormField = { ...fieldBase(MODEL, 'Model'), kind: 'choice', required: true, options };
  // Without a fingerprint, nothing is remembered, because the program could be another one.
  const remember = fingerprint === undefined ? [] : [rememberField(REMEMBERED)];
  return { fields: [model, ...system, ...texts, tokens, ...remember], complete: true };
}

const REMEMBERED =
  'Applies to all prompts of this server. "Send to Model" then allows them within the budget, and "Decline" refuses them without a question.';

export function samplingValues(
  { request, model }: Pick<SamplingQuestion, 'request' | 'model'>,
  models: readonly ModelCandidate[],
): FormValues {
  const texts = request.messages.flatMap(({ content }, at) =>
    content.flatMap((part, index) => (part.type === 'text' ? [[partId(at, index), part.text] as const] : [])),
  );
  return {
    [MODEL]: String(preferredModel(models, { preferences: request.preferences, model })),
    ...(request.systemPrompt === undefined ? {} : { [SYSTEM]: request.systemPrompt }),
    ...Object.fromEntries(texts),
    [TOKENS]: String(request.maxTokens),
    ...REMEMBER_NOTHING,
  };
}

export function samplingView(question: SamplingQuestion, form: ToolForm, values: FormValues): QuestionView {
  const { server, request, remarks } = question;
  const pieces = pieceViews(request.messages.flatMap(({ content }) => content));
  const more = pieces.length === 0 ? [] : [sentAsItIs(pieces.length)];
  const pictures = pieces.some(({ kind }) => kind === 'image') ? [PICTURES] : [];
  return {
    title: `The server "${cleanLine(server, 64)}" wants to use a language model`,
    message: 'This prompt would be sent to the model. You can edit it first.',
    remarks: [...remarks, ...more, ...pictures].map((remark) => cleanText(remark)),
    blocks: [...pieces, ...toolViews(request.tools)],
    fields: form.fields,
    noFields: '',
    values,
    errors: {},
    accept: 'Send to Model',
    decline: 'Decline',
  };
}

/** Applies the user's edits. Emptied texts are removed. */
export function editedRequest(request: SamplingRequest, values: FormValues): SamplingRequest {
  const textOf = (id: string, before: string): string => {
    const value = values[id];
    return typeof value === 'string' ? value : before;
  };
  const messages = request.messages.map(({ role, content }, at): SamplingMessage => ({
    role,
    content: content
      .map((part, index) => (part.type === 'text' ? { ...part, text: textOf(partId(at, index), part.text) } : part))
      .filter((part) => part.type !== 'text' || part.text !== ''),
  }));
  const system = request.systemPrompt === undefined ? '' : textOf(SYSTEM, request.systemPrompt);
  return {
    ...request,
    messages: messages.filter(({ content }) => content.length > 0),
    systemPrompt: system === '' ? undefined : system,
    maxTokens: Number(textOf(TOKENS, String(request.maxTokens))),
  };
}

export function chosenModel(values: FormValues): number {
  return Number(values[MODEL]);
}

/** The whole prompt if a notification can show it. Otherwise the user must review it. */
export function shortPrompt({ request, remarks }: SamplingQuestion): string | undefined {
  const [only, ...more] = request.messages;
  const [part, ...others] = only?.content ?? [];
  if (part?.type !== 'text' || more.length + others.length + request.tools.length + remarks.length > 0)
    return undefined;
  if (request.systemPrompt !== undefined || part.text.length > SHORT) return undefined;
  return part.text;
}

/** A short extract of the prompt for a notification. */
export function promptGist({ request }: SamplingQuestion): string {
  const texts = request.messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
  return cleanLine(texts.at(-1) ?? '', SHORT / 2);
}

const PICTURES = 'Not every model takes pictures, and the editor does not say which do.';

function sentAsItIs(count: number): string {
  return `Content other than text is sent unchanged: ${plural(count, 'part')}.`;
}

function labelOf({ role }: SamplingMessage, at: number, { messages }: SamplingRequest): string {
  const who = role === 'user' ? 'User' : 'Assistant';
  return messages.length === 1 ? 'Prompt' : `Message ${at + 1}: ${who}`;
}

function partId(message: number, part: number): string {
  return `/messages/${message}/${part}`;
}
