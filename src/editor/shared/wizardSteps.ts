export type Answer<T> =
  | { readonly kind: 'next'; readonly value: T }
  | { readonly kind: 'back' }
  /** The user cancelled. */
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
  /** A sentence that says what to change, or undefined. */
  readonly problem: (text: string) => string | undefined;
}

export interface StepNumber {
  readonly step: number;
  readonly steps: number;
}

/** Shows one step. Back is available from the second on. */
export interface WizardUi {
  pick<T>(step: PickStep<T>): Promise<Answer<T>>;
  input(step: InputStep): Promise<Answer<string>>;
}
