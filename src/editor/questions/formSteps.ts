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

/** A field that fits one step of a quick input. */
export type StepField = Extract<FormField, { kind: 'text' | 'number' | 'boolean' | 'choice' | 'choices' }>;

/** One step: a field and its position. */
export interface FieldStep {
  readonly field: StepField;
  readonly step: number;
  readonly steps: number;
  /** The entered value, or the server's default. */
  readonly value: FieldValue | undefined;
  readonly looksSecret: boolean;
}

/** The last step: everything that would be sent. */
export interface ReviewStep {
  readonly step: number;
  readonly steps: number;
  readonly lines: readonly ReviewLine[];
}

interface ReviewLine {
  readonly label: string;
  readonly value: string;
  /** Why the form cannot be sent. */
  readonly problem: string | undefined;
}

/** An `undefined` value omits the field. */
export type FieldAnswer =
  | { readonly kind: 'next' | 'form'; readonly value: FieldValue | undefined }
  | { readonly kind: 'back' }
  | { readonly kind: 'cancel' };

export type ReviewAnswer =
  | { readonly kind: 'accept' | 'decline' | 'form' | 'back' | 'cancel' }
  /** By index. */
  | { readonly kind: 'edit'; readonly field: number };

export interface FormUi {
  field(step: FieldStep): Promise<FieldAnswer>;
  review(step: ReviewStep): Promise<ReviewAnswer>;
}

export interface Stepped {
  /** `form`: continues on a page with the entered values. */
  readonly kind: 'accept' | 'decline' | 'form' | 'cancel';
  readonly values: FormValues;
}

/** Forms with more fields use a page. */
const MAX_STEPS = 20;
/** Maximum message that fits the title of a quick input. */
const MAX_MESSAGE = 200;

/** The fields as steps. Undefined if steps cannot hold the form or its message. */
export function stepFields({
  form,
  message,
}: Pick<FormQuestion, 'form' | 'message'>): readonly StepField[] | undefined {
  const fields = form.fields.filter(isStep);
  if (fields.length < form.fields.length || fields.length > MAX_STEPS) return undefined;
  return message.length > MAX_MESSAGE || /[\r\n]/.test(message.trim()) ? undefined : fields;
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

/** Asks for the fields one by one, then shows all of them. Keeps entered values when closed. */
export class FormSteps {
  readonly #fields: readonly StepField[];
  readonly #secrets: ReadonlySet<string>;
  readonly #values: Map<string, FieldValue>;
  #current = 0;
  /** After the review, an edited field returns to it. */
  #wasReviewed = false;
  #wasTouched = false;

  constructor({ values, sensitive }: Pick<FormQuestion, 'values' | 'sensitive'>, fields: readonly StepField[]) {
    this.#fields = fields;
    this.#secrets = new Set(sensitive);
    this.#values = new Map(Object.entries(values));
  }

  /** Whether closing would lose input. */
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
        // Returns to the first invalid field, because the server would reject it.
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

/** Why a value is invalid. Undefined if it can be sent. */
export function fieldProblem(field: StepField, value: FieldValue | undefined): string | undefined {
  const values = value === undefined ? {} : { [field.id]: value };
  const collected = collectArguments({ fields: [field], complete: true }, values);
  if (collected.kind === 'invalid') return questionErrors(collected.errors, values)[field.id];
  return field.kind === 'text' && typeof value === 'string' ? formatProblem(field.format, value) : undefined;
}

/** A value on one line, for display. */
function valueText(field: StepField, value: FieldValue | undefined): string {
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
