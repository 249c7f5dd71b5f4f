import type { FormField, FormValues } from '../../core/index.ts';
import { SAMPLING_LIFETIMES, type SamplingLifetime } from './samplingMemory.ts';

/** Form fields for the host's own questions. */
export function textField(id: string, label: string): FormField {
  const rules = { format: undefined, minLength: undefined, maxLength: undefined, pattern: undefined };
  return { ...fieldBase(id, label), kind: 'text', multiline: true, ...rules };
}

export function fieldBase(
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

const REMEMBER = '/remember';
const LIFETIME_LABELS: { readonly [L in SamplingLifetime]: string } = {
  once: 'Ask me each time',
  session: 'For this session',
  workspace: 'Always, in this workspace',
};

/** How long to remember the decision: accepting then allows, and declining refuses, without further prompts. */
export function rememberField(description: string): FormField {
  const options = SAMPLING_LIFETIMES.map((value) => ({ label: LIFETIME_LABELS[value], description: '', value }));
  return { ...fieldBase(REMEMBER, 'Remember my decision'), description, kind: 'choice', required: true, options };
}

export const REMEMBER_NOTHING: FormValues = { [REMEMBER]: '0' };

export function lifetimeOf(values: FormValues): SamplingLifetime {
  return SAMPLING_LIFETIMES[Number(values[REMEMBER])] ?? 'once';
}
