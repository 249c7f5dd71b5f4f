export type Answer<T> =
  | { readonly kind: 'next'; readonly value: T }
  | { readonly kind: 'back' }
  /** The person turned away. */
  | { readonly kind: 'cancel' };

export interface Choice<T> {
  readonly label: string;
  readonly detail: string;
  readonly icon: string;
  readonly value: T;
}

export interface PickStep<T> extends StepNumber {
  readonly placeholder: string;
  readonly choices: readonly Choice<T>[];
  readonly chosen: T | undefined;
}

export interface InputStep extends StepNumber {
  readonly prompt: string;
  readonly placeholder: string;
  readonly value: string;
  /** A sentence that says what to change, or nothing. */
  readonly problem: (text: string) => string | undefined;
}

export interface StepNumber {
  readonly step: number;
  readonly steps: number;
}

/** Shows one step. Back is offered from the second on. */
export interface WizardUi {
  pick<T>(step: PickStep<T>): Promise<Answer<T>>;
  input(step: InputStep): Promise<Answer<string>>;
}
