import type { SamplingDecision } from './samplingMemory.ts';

const TEXTS: { readonly [S in SamplingDecision['stage']]: { readonly [V in SamplingDecision['verdict']]: string } } = {
  request: {
    allow: 'Its prompts go to a model without a question',
    refuse: 'Its prompts are refused without a question',
  },
  answer: {
    allow: 'It gets answers of models without a review',
    refuse: 'It gets no answers of models',
  },
};

/** A remembered decision in a few words. */
export function decisionText({ stage, verdict, lifetime }: SamplingDecision): string {
  return `${TEXTS[stage][verdict]} · ${lifetime === 'session' ? 'this session' : 'always'}`;
}
