import { cleanLine, cleanText, type FormField, type FormQuestion, type FormValues } from '../../core/index.ts';
import type { QuestionView } from '../../webview/form/questionMessages.ts';

export const SUSPICIOUS = 'This looks like a secret. Servers must not ask for one in a form: decline if in doubt.';

/** A server's question for its page. */
export function formView({ server, message, form, values, errors, sensitive, remarks }: FormQuestion): QuestionView {
  const suspects = new Set(sensitive);
  return {
    title: `The server "${cleanLine(server, 64)}" asks`,
    message: cleanText(message),
    remarks: remarks.map((remark) => cleanText(remark)),
    blocks: [],
    fields: form.fields.map((field) => withWarning(field, suspects)),
    noFields: 'It only wants your consent.',
    values,
    errors: questionErrors(errors, values),
    accept: 'Submit',
    decline: 'Decline',
  };
}

function withWarning(field: FormField, suspects: ReadonlySet<string>): FormField {
  const note = suspects.has(field.id) ? [SUSPICIOUS] : [];
  const description = [...note, field.description].filter((text) => text !== '').join('\n');
  if (field.kind !== 'group') return { ...field, description };
  return { ...field, description, fields: field.fields.map((member) => withWarning(member, suspects)) };
}

/** The errors of an answer, worded without mentioning tools. */
export function questionErrors(
  errors: Readonly<Record<string, string>>,
  values: FormValues,
): Readonly<Record<string, string>> {
  const entries = Object.entries(errors).map(([id, error]) => {
    const value = values[id];
    return [id, value === undefined || value === '' ? MISSING : error] as const;
  });
  return Object.fromEntries(entries);
}

const MISSING = 'This needs an answer.';
