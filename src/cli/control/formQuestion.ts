import {
  collectArguments,
  fillForm,
  type FormAnswer,
  type FormField,
  type FormQuestion,
  type FormValues,
  isJsonObject,
  type Json,
  type JsonObject,
} from '../../core/index.ts';
import { Malformed } from './members.ts';
import type { Question } from './questions.ts';

/** A form for a program to fill in: values as the server will get them, and not as a person would type them. */
export function formQuestion(question: FormQuestion): Question<FormAnswer> {
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

/** Without any values the form is sent as it was shown. */
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
