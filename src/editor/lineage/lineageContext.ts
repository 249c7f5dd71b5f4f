import type { EditorServices } from '../shared/services.ts';

export type LineageServices = Pick<EditorServices, 'host' | 'log' | 'logs' | 'failures' | 'extensionUri'>;

/** A question that keeps everything else waiting. */
export interface ModalQuestion {
  readonly message: string;
  readonly detail: string;
  /** Of its buttons, beside the one that turns away. */
  readonly titles: readonly string[];
  /** Turns away as well, and is what Enter chooses: for a question that comes unasked, while somebody may be typing. */
  readonly refusal?: string | undefined;
}

/** Resolves with the title that was chosen; `undefined` where the person turned away. */
export type ModalAsker = (question: ModalQuestion) => Promise<string | undefined>;

/** What the parts that are about lineages share. */
export interface LineageContext extends LineageServices {
  readonly ask: ModalAsker;
}
