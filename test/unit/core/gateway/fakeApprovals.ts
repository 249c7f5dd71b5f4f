import type { GatewayApprovals } from '../../../../src/core/gateway/clientRequests.ts';
import {
  type ApprovalChoice,
  Emitter,
  type PendingApproval,
  type SettledApproval,
  type ToolCallRequest,
} from '../../../../src/core/index.ts';

/** Approvals that wait until the test, or a client, answers them. */
export class FakeApprovals implements GatewayApprovals {
  readonly #changes = new Emitter<void>();
  readonly #settlements = new Emitter<SettledApproval>();
  #pending: readonly PendingApproval[] = [];
  readonly onDidChange = this.#changes.event;
  readonly onDidSettle = this.#settlements.event;
  /** The setting. */
  inChat = true;
  /** The answers, in order: `a1 once`. */
  readonly answers: string[] = [];
  /** Like the host while it stores an answer: the request still waits. */
  keepsAnswers = false;

  get hasListeners(): boolean {
    return this.#changes.hasListeners || this.#settlements.hasListeners;
  }

  asksInChat(): boolean {
    return this.inChat;
  }

  pending(): readonly PendingApproval[] {
    return this.#pending;
  }

  ask(id: string, calls: readonly ToolCallRequest[], more: Partial<PendingApproval> = {}): void {
    this.#pending = [...this.#pending.filter((other) => other.id !== id), { ...approval(id), calls, ...more }];
    this.#changes.fire();
  }

  /** Fires a change of something else. */
  change(): void {
    this.#changes.fire();
  }

  settle(id: string): void {
    const [settled] = this.#pending.filter((other) => other.id === id);
    if (settled === undefined) return;
    this.#pending = this.#pending.filter((other) => other.id !== id);
    this.#settlements.fire({ approval: settled, outcome: { kind: 'denied', why: 'timeout' } });
    this.#changes.fire();
  }

  /** Waits for the next settled request. Returns its id. */
  nextSettled(): Promise<string> {
    return new Promise((resolve) => {
      const listening = this.#settlements.event(({ approval: { id } }) => {
        listening.dispose();
        resolve(id);
      });
    });
  }

  async answer(id: string, choice: ApprovalChoice | 'dismiss'): Promise<boolean> {
    this.answers.push(`${id} ${choice}`);
    if (this.keepsAnswers) this.#changes.fire();
    else this.settle(id);
    return Promise.resolve(true);
  }
}

export function approval(id: string, more: Partial<PendingApproval> = {}): PendingApproval {
  return {
    id,
    server: 'notes',
    fingerprint: 'f',
    featureSet: 'notes.write',
    key: 'k',
    subject: {
      kind: 'scope',
      action: { kind: 'call', tool: 'add' },
      label: undefined,
      payload: undefined,
      targets: [
        { kind: 'path', from: '/arguments/path', written: '/etc/hosts', real: '/etc/hosts', inside: undefined },
      ],
      why: 'unlisted',
    },
    payloadHash: 'h',
    askedAt: 0,
    expiresAt: 60_000,
    waiting: 1,
    calls: [],
    ...more,
  };
}
