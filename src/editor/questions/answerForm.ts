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

/** Maximum answer that fits into a notification. */
const SHORT = 200;

/** A model's answer before the server gets it. */
export interface ModelAnswer {
  readonly question: Pick<SamplingQuestion, 'server' | 'fingerprint'>;
  /** The model's display name. */
  readonly model: string;
  readonly result: SamplingResult;
}

/** A form to edit each text of the answer, and to remember the decision. */
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

/** Applies the user's edits. Emptied texts are removed. */
export function editedAnswer(result: SamplingResult, values: FormValues): SamplingResult {
  const content = result.content.flatMap((piece, index): readonly SamplingContent[] => {
    if (piece.type !== 'text') return [piece];
    const value = values[pieceId(index)];
    const text = typeof value === 'string' ? value : piece.text;
    return text === '' ? [] : [{ ...piece, text }];
  });
  return { ...result, content };
}

/** The whole answer if a notification can show it. Otherwise the user must review it. */
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
