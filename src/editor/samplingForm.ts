import {
  cleanLine,
  cleanText,
  type FormField,
  type FormValues,
  type SamplingMessage,
  type SamplingQuestion,
  type SamplingRequest,
  type ToolForm,
} from '../core/index.ts';
import type { QuestionView } from '../webview/questionMessages.ts';

/** A model as far as it is chosen by it. */
export interface ModelChoice {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly vendor: string;
}

const MODEL = '/model';
const SYSTEM = '/system';
const TOKENS = '/maxTokens';
/** Of a prompt that fits into a notification with all that is around it. */
const SHORT = 200;

/** The model that the hints name best, the first hint before all others; without one the first that there is. */
export function preferredModel(models: readonly ModelChoice[], hints: readonly string[]): number {
  for (const hint of hints) {
    const wanted = hint.toLowerCase();
    const names = ({ id, name, family, vendor }: ModelChoice): readonly string[] => [
      id,
      name,
      family,
      `${vendor}/${id}`,
    ];
    const found = models.findIndex((model) => names(model).some((each) => each.toLowerCase().includes(wanted)));
    if (wanted !== '' && found >= 0) return found;
  }
  return 0;
}

/** Everything that would be sent, as a form in which it can be changed. */
export function samplingForm(request: SamplingRequest, models: readonly ModelChoice[]): ToolForm {
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
    ...base(TOKENS, 'Longest answer, in tokens'),
    kind: 'number',
    required: true,
    integer: true,
    min: 1,
    max: undefined,
    minExclusive: false,
    maxExclusive: false,
    step: undefined,
  };
  const model: FormField = { ...base(MODEL, 'Model'), kind: 'choice', required: true, options };
  return { fields: [model, ...system, ...texts, tokens], complete: true };
}

export function samplingValues(request: SamplingRequest, models: readonly ModelChoice[]): FormValues {
  const texts = request.messages.flatMap(({ content }, at) =>
    content.flatMap((part, index) => (part.type === 'text' ? [[partId(at, index), part.text] as const] : [])),
  );
  return {
    [MODEL]: String(preferredModel(models, request.preferences.hints)),
    ...(request.systemPrompt === undefined ? {} : { [SYSTEM]: request.systemPrompt }),
    ...Object.fromEntries(texts),
    [TOKENS]: String(request.maxTokens),
  };
}

export function samplingView(question: SamplingQuestion, form: ToolForm, values: FormValues): QuestionView {
  const { server, request, remarks } = question;
  const others = request.messages.flatMap(({ content }) => content).filter(({ type }) => type !== 'text').length;
  const more = others === 0 ? [] : [`What is not text is sent as it is: ${others} ${others === 1 ? 'part' : 'parts'}.`];
  return {
    title: `The server "${cleanLine(server, 64)}" wants to use a language model`,
    message: 'This is what the model would be sent. You can change it first. The answer goes to the server.',
    remarks: [...remarks, ...more].map((remark) => cleanText(remark)),
    fields: form.fields,
    noFields: '',
    values,
    errors: {},
    accept: 'Send to Model',
    decline: 'Decline',
  };
}

/** The request as the person changed it. A text that was emptied is left out. */
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

/** The whole prompt, where it is so short that a notification shows it; nobody allows what was not shown. */
export function shortPrompt({ request, remarks }: SamplingQuestion): string | undefined {
  const [only, ...more] = request.messages;
  const [part, ...others] = only?.content ?? [];
  if (part?.type !== 'text' || more.length + others.length + request.tools.length + remarks.length > 0)
    return undefined;
  if (request.systemPrompt !== undefined || part.text.length > SHORT) return undefined;
  return part.text;
}

/** What a prompt is about, for a notification. */
export function promptGist({ request }: SamplingQuestion): string {
  const texts = request.messages.flatMap(({ content }) =>
    content.flatMap((part) => (part.type === 'text' ? [part.text] : [])),
  );
  return cleanLine(texts.at(-1) ?? '', SHORT / 2);
}

function labelOf({ role }: SamplingMessage, at: number, { messages }: SamplingRequest): string {
  const who = role === 'user' ? 'User' : 'Assistant';
  return messages.length === 1 ? 'Prompt' : `Message ${at + 1}: ${who}`;
}

function partId(message: number, part: number): string {
  return `/messages/${message}/${part}`;
}

function textField(id: string, label: string): FormField {
  const rules = { format: undefined, minLength: undefined, maxLength: undefined, pattern: undefined };
  return { ...base(id, label), kind: 'text', multiline: true, ...rules };
}

function base(
  id: string,
  label: string,
): Pick<FormField, 'id' | 'name' | 'label' | 'description' | 'required' | 'nullable' | 'examples' | 'default'> {
  return {
    id,
    name: label,
    label,
    description: '',
    required: false,
    nullable: false,
    examples: [],
    default: undefined,
  };
}
