import type { EditorServices } from '../shared/services.ts';

export type LineageServices = Pick<EditorServices, 'host' | 'clock' | 'log' | 'logs' | 'failures' | 'extensionUri'>;

/** A modal prompt. */
interface ModalQuestion {
  readonly message: string;
  readonly detail: string;
  /** Button titles, besides Cancel. */
  readonly titles: readonly string[];
  /** An additional button that cancels and is the default, for prompts that may appear while the user types. */
  readonly refusal?: string | undefined;
}

/** Resolves with the chosen title. `undefined` if the user cancelled. */
export type ModalAsker = (question: ModalQuestion) => Promise<string | undefined>;

/** Services shared by the lineage parts. */
export interface LineageContext extends LineageServices {
  readonly ask: ModalAsker;
}
