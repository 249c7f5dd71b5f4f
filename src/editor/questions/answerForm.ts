import {
  cleanLine,
  type FormValues,
  type SamplingContent,
  type SamplingQuestion,
  type SamplingResult,
  type ToolForm,
} from '../../core/index.ts';
import type { QuestionView } from '../../webview/form/questionMessages.ts';
import { REMEMBER_NOTHING, rememberField, textField } from './questionFields.ts';
import { pieceViews } from './samplingPieces.ts';

/** Of an answer that fits into a notification with all that is around it. */
const SHORT = 200;

/** What a model said, before the server gets it. */
export interface ModelAnswer {
  readonly question: Pick<SamplingQuestion, 'server' | 'fingerprint'>;
  /** Of the model, for people. */
  readonly model: string;
  readonly result: SamplingResult;
}

/** Every text of the answer, to be changed, and how long the decision holds. */
export function answerForm({ question, result }: ModelAnswer): ToolForm {
  const texts = result.content.flatMap((piece, index) => (piece.type === 'text' ? [index] : []));
  const fields = texts.map((index, at) => textField(pieceId(index), texts.length === 1 ? 'Answer' : `Part ${at + 1}`));
  const remember = question.fingerprint === undefined ? [] : [rememberField(REMEMBERED)];
  return { fields: [...fields, ...remember], complete: true };
}

const REMEMBERED =
  'Applies to all answers for this server. "Send to Server" then sends them without showing them, and "Discard" refuses the requests of the server without a question.';

export function answerValues({ result }: ModelAnswer): FormValues {
  const texts = result.content.flatMap((piece, index) =>
    piece.type === 'text' ? [[pieceId(index), piece.text] as const] : [],
  );
  return { ...Object.fromEntries(texts), ...REMEMBER_NOTHING };
}

export function answerView(answer: ModelAnswer, form: ToolForm, values: FormValues): QuestionView {
  const server = cleanLine(answer.question.server, 64);
  return {
    title: `${cleanLine(answer.model, 60)} answered the server "${server}"`,
    message: 'This answer would be sent to the server. You can edit it first.',
    remarks: [],
    blocks: pieceViews(answer.result.content),
    fields: form.fields,
    noFields: '',
    values,
    errors: {},
    accept: 'Send to Server',
    decline: 'Discard',
  };
}

/** The answer as the person changed it. A text that was emptied is left out. */
export function editedAnswer(result: SamplingResult, values: FormValues): SamplingResult {
  const content = result.content.flatMap((piece, index): readonly SamplingContent[] => {
    if (piece.type !== 'text') return [piece];
    const value = values[pieceId(index)];
    const text = typeof value === 'string' ? value : piece.text;
    return text === '' ? [] : [{ ...piece, text }];
  });
  return { ...result, content };
}

/** The whole answer, where a notification shows it; nobody sends what was not shown. */
export function shortAnswer({ content }: SamplingResult): string | undefined {
  const [only, ...more] = content;
  return only?.type === 'text' && more.length === 0 && only.text.length <= SHORT ? only.text : undefined;
}

export function answerGist({ content }: SamplingResult): string {
  const texts = content.flatMap((piece) => (piece.type === 'text' ? [piece.text] : []));
  return cleanLine(texts[0] ?? '', SHORT / 2);
}

function pieceId(index: number): string {
  return `/content/${index}`;
}
