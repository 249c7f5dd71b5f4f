import type { ApprovalChoice, Disposable, PendingApproval, SettledApproval } from '../../core/index.ts';
import { ToastQueue } from '../shared/toastQueue.ts';

interface ApprovalToastsOptions {
  readonly textOf: (approval: PendingApproval) => string;
  /** Resolves with the user's choice. `undefined` if the notification was closed. */
  readonly show: (text: string, approval: PendingApproval) => Promise<ApprovalChoice | undefined>;
  readonly isPending: (id: string) => boolean;
  /** Returns false if the request had already ended. */
  readonly answer: (id: string, choice: ApprovalChoice | 'dismiss') => Promise<boolean>;
  /** The user answered a request that had ended already. */
  readonly late: (approval: PendingApproval) => void;
  readonly failed: (approval: PendingApproval, error: unknown) => void;
}

/**
 * A notification for each request. The editor closes one as soon as another has the same text, which is no answer.
 * So requests with the same text are shown one after the other.
 */
export class ApprovalToasts implements Disposable {
  readonly #options: ApprovalToastsOptions;
  readonly #queue: ToastQueue<PendingApproval>;

  constructor(options: ApprovalToastsOptions) {
    this.#options = options;
    this.#queue = new ToastQueue<PendingApproval>({
      current: (approval) => (options.isPending(approval.id) ? approval : undefined),
      show: ([approval], text) => this.#show(text, approval),
    });
  }

  asked(approval: PendingApproval): void {
    this.#queue.add(this.#options.textOf(approval), approval);
  }

  settled({ approval }: SettledApproval): void {
    this.#queue.end(({ id }) => id === approval.id);
  }

  dispose(): void {
    this.#queue.dispose();
  }

  async #show(text: string, approval: PendingApproval): Promise<void> {
    const { show, answer, late, failed } = this.#options;
    try {
      const choice = await show(text, approval);
      const counted = await answer(approval.id, choice ?? 'dismiss');
      if (!counted && choice !== undefined) late(approval);
    } catch (error) {
      failed(approval, error);
    }
  }
}
