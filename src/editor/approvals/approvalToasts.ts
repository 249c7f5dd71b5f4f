import type { ApprovalChoice, Disposable, PendingApproval, SettledApproval } from '../../core/index.ts';

export interface ApprovalToastsOptions {
  readonly textOf: (approval: PendingApproval) => string;
  /** Resolves with what the person chose; `undefined` where the notification was closed. */
  readonly show: (text: string, approval: PendingApproval) => Promise<ApprovalChoice | undefined>;
  readonly isPending: (id: string) => boolean;
  /** False where the request was settled before. */
  readonly answer: (id: string, choice: ApprovalChoice | 'dismiss') => Promise<boolean>;
  /** Somebody answered what had ended already. */
  readonly late: (approval: PendingApproval) => void;
  readonly failed: (approval: PendingApproval, error: unknown) => void;
}

interface Lane {
  /** What is shown now. */
  current: string;
  readonly next: PendingApproval[];
}

/**
 * A notification for each request. The editor closes one as soon as another says the same, which must not pass for an
 * answer: of requests that read alike the next is shown when the one before has ended.
 */
export class ApprovalToasts implements Disposable {
  readonly #options: ApprovalToastsOptions;
  readonly #lanes = new Map<string, Lane>();

  constructor(options: ApprovalToastsOptions) {
    this.#options = options;
  }

  asked(approval: PendingApproval): void {
    if (!this.#options.isPending(approval.id)) return;
    const text = this.#options.textOf(approval);
    const lane = this.#lanes.get(text);
    if (lane !== undefined) {
      lane.next.push(approval);
      return;
    }
    this.#lanes.set(text, { current: approval.id, next: [] });
    this.#show(text, approval);
  }

  settled({ approval }: SettledApproval): void {
    for (const [text, lane] of this.#lanes) if (lane.current === approval.id) this.#advance(text, lane);
  }

  dispose(): void {
    this.#lanes.clear();
  }

  #advance(text: string, lane: Lane): void {
    const next = lane.next.shift();
    if (next === undefined) this.#lanes.delete(text);
    else if (!this.#options.isPending(next.id)) this.#advance(text, lane);
    else {
      lane.current = next.id;
      this.#show(text, next);
    }
  }

  #show(text: string, approval: PendingApproval): void {
    const { show, failed } = this.#options;
    show(text, approval)
      .then((choice) => this.#answered(approval, choice))
      .catch((error: unknown) => failed(approval, error));
  }

  async #answered(approval: PendingApproval, choice: ApprovalChoice | undefined): Promise<void> {
    const { answer, late } = this.#options;
    const counted = await answer(approval.id, choice ?? 'dismiss');
    if (!counted && choice !== undefined) late(approval);
  }
}
