import {
  cleanLine,
  collectArguments,
  type FieldValue,
  type FormField,
  type FormQuestion,
  type FormValues,
} from '../../core/index.ts';
import { questionErrors } from './elicitationView.ts';
import { formatProblem } from '../shared/formatProblem.ts';

/** A field that one step of a quick input can ask for. */
export type StepField = Extract<FormField, { kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices' }>;

/** One step: a field, and where it stands. */
export interface FieldStep {
  readonly field: StepField;
  readonly step: number;
  readonly steps: number;
  /** What is entered so far, or the server's default. */
  readonly value: FieldValue | undefined;
  readonly looksSecret: boolean;
}

/** The last step: all that would be sent. */
export interface ReviewStep {
  readonly step: number;
  readonly steps: number;
  readonly lines: readonly ReviewLine[];
}

export interface ReviewLine {
  readonly label: string;
  readonly value: string;
  /** What keeps the form from being sent. */
  readonly problem: string | undefined;
}

/** `undefined` is a value: the field is left out. */
export type FieldAnswer =
  | { readonly kind: 'next' | 'form'; readonly value: FieldValue | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' };

export type ReviewAnswer =
  | { readonly kind: 'accept' | 'decline' | 'form' | 'back' | 'cancel' }
  /** By its place. */
  | { readonly kind: 'edit'; readonly field: number };

export interface FormUi {
  field(step: FieldStep): Promise<FieldAnswer>;
  review(step: ReviewStep): Promise<ReviewAnswer>;
}

export interface Stepped {
  /** `form`: it goes on on a page, with what is entered so far. */
  readonly kind: 'accept' | 'decline' | 'form' | 'cancel';
  readonly values: FormValues;
}

/** More steps than that are a page's work. */
const MOST_STEPS = 20;
/** What the title of a quick input can show of a message, beside who asks. */
const LONGEST_MESSAGE = 200;

/** The fields of a form as steps; nothing where steps could not hold it, or could not show all that is said of it. */
export function stepFields({
  form,
  message,
}: Pick<FormQuestion, 'form' | 'message'>): readonly StepField[] | undefined {
  const fields = form.fields.filter(isStep);
  if (fields.length < form.fields.length || fields.length > MOST_STEPS) return undefined;
  return message.length > LONGEST_MESSAGE || /[\r\n]/.test(message.trim()) ? undefined : fields;
}

function isStep(field: FormField): field is StepField {
  switch (field.kind) {
    case 'text':
      return !field.multiline;
    case 'number':
    case 'boolean':
    case 'choice':
    case 'choices':
      return true;
    default:
      return false;
  }
}

/** Asks for one field after the other, and then once more for all of them. What was answered stays when it is closed. */
export class FormSteps {
  readonly #fields: readonly StepField[];
  readonly #secrets: ReadonlySet<string>;
  readonly #values: Map<string, FieldValue>;
  #current = 0;
  /** From the review on, a changed field leads back to it. */
  #wasReviewed = false;
  #wasTouched = false;

  constructor({ values, sensitive }: Pick<FormQuestion, 'values' | 'sensitive'>, fields: readonly StepField[]) {
    this.#fields = fields;
    this.#secrets = new Set(sensitive);
    this.#values = new Map(Object.entries(values));
  }

  /** Whether something would be lost if nobody went on. */
  get wasTouched(): boolean {
    return this.#wasTouched;
  }

  get values(): FormValues {
    return Object.fromEntries(this.#values);
  }

  async run(ui: FormUi): Promise<Stepped> {
    for (;;) {
      const field = this.#fields[this.#current];
      const ended = field === undefined ? await this.#review(ui) : await this.#ask(ui, field);
      if (ended !== undefined) return { kind: ended, values: this.values };
    }
  }

  async #ask(ui: FormUi, field: StepField): Promise<Stepped['kind'] | undefined> {
    const answer = await ui.field({
      field,
      step: this.#current + 1,
      steps: this.#fields.length + 1,
      value: this.#values.get(field.id),
      looksSecret: this.#secrets.has(field.id),
    });
    if (answer.kind === 'cancel') return 'cancel';
    if (answer.kind === 'back') {
      this.#current = this.#wasReviewed ? this.#fields.length : Math.max(this.#current - 1, 0);
      return undefined;
    }
    this.#wasTouched = true;
    if (answer.value === undefined || answer.value === '') this.#values.delete(field.id);
    else this.#values.set(field.id, answer.value);
    if (answer.kind === 'form') return 'form';
    this.#current = this.#wasReviewed ? this.#fields.length : this.#current + 1;
    return undefined;
  }

  async #review(ui: FormUi): Promise<Stepped['kind'] | undefined> {
    this.#wasReviewed = true;
    const { length } = this.#fields;
    const lines = this.#fields.map((field) => this.#line(field));
    const answer = await ui.review({ step: length + 1, steps: length + 1, lines });
    switch (answer.kind) {
      case 'edit':
        this.#current = Math.min(Math.max(answer.field, 0), length);
        return undefined;
      case 'back':
        this.#current = Math.max(length - 1, 0);
        return undefined;
      case 'accept':
        // What is still wrong is asked for again: the server would only refuse it.
        this.#current = lines.findIndex(({ problem }) => problem !== undefined);
        if (this.#current >= 0) return undefined;
        this.#current = length;
        return 'accept';
      default:
        return answer.kind;
    }
  }

  #line(field: StepField): ReviewLine {
    const value = this.#values.get(field.id);
    return { label: field.label, value: valueText(field, value), problem: fieldProblem(field, value) };
  }
}

/** What to enter instead; nothing where the value can be sent. */
export function fieldProblem(field: StepField, value: FieldValue | undefined): string | undefined {
  const values = value === undefined ? {} : { [field.id]: value };
  const collected = collectArguments({ fields: [field], complete: true }, values);
  if (collected.kind === 'invalid') return questionErrors(collected.errors, values)[field.id];
  return field.kind === 'text' && typeof value === 'string' ? formatProblem(field.format, value) : undefined;
}

/** A value in one line, for people. */
export function valueText(field: StepField, value: FieldValue | undefined): string {
  const nothing = field.required ? '(nothing yet)' : '(left out)';
  switch (field.kind) {
    case 'boolean':
      return value === undefined ? nothing : value === true ? 'Yes' : 'No';
    case 'choice':
      return optionLabel(field, value) ?? nothing;
    case 'choices': {
      if (typeof value !== 'object') return nothing;
      return value.map((index) => optionLabel(field, index) ?? '').join(', ') || '(none)';
    }
    default:
      if (typeof value !== 'string' || value === '') return nothing;
      return field.kind === 'text' && field.format === 'password' ? '•••' : cleanLine(value, 100);
  }
}

function optionLabel(
  { options }: Pick<Extract<StepField, { kind: 'choice' }>, 'options'>,
  index: unknown,
): string | undefined {
  return typeof index === 'string' && index !== '' ? options[Number(index)]?.label : undefined;
}
