import { randomUUID } from 'node:crypto';
import { PROACTIVE } from './demoFeatureSets.ts';
import { type Ask, Unanswered } from './outgoing.ts';
import { isFields } from './schema.ts';
import type { Clock } from './systemClock.ts';

interface Reminder {
  /** Unchanged when the event is sent again, so that it has one effect (MCPL §9.4). */
  readonly eventId: string;
  readonly text: string;
  /** When it is due. */
  readonly at: number;
}

interface RemindersOptions {
  readonly clock: Clock;
  readonly ask: Ask;
  readonly log: (line: string) => void;
  readonly isOn: () => boolean;
  readonly newId?: () => string;
}

export const MAX_SECONDS = 86_400;
const MOST = 50;
const LONGEST = 500;
const ANSWER_MS = 30_000;
const MAX_TRIES = 3;
const RETRY_MS = 10_000;

/** MCPL §9: pushes an event to the host when a reminder is due. */
export class Reminders {
  readonly #options: RemindersOptions;
  readonly #newId: () => string;
  /** Pending reminders, each with the function that cancels its timer. */
  readonly #waiting = new Map<Reminder, () => void>();
  /** Due while the feature set was off. */
  readonly #held = new Set<Reminder>();

  constructor(options: RemindersOptions) {
    this.#options = options;
    this.#newId = options.newId ?? randomUUID;
  }

  /** Returns a sentence with the reason if the reminder cannot be added. */
  add(text: string, seconds: number): Reminder | string {
    if (!(seconds >= 1 && seconds <= MAX_SECONDS)) return 'A reminder is due in 1 second to 24 hours.';
    if (this.#waiting.size + this.#held.size >= MOST)
      return `There are ${MOST} reminders already. Wait for some of them.`;
    const at = this.#options.clock.now() + seconds * 1_000;
    const reminder = { eventId: `reminder-${this.#newId()}`, text: text.trim().slice(0, LONGEST), at };
    this.#wait(reminder, seconds * 1_000, 1);
    return reminder;
  }

  /** Pushes the reminders that fell due while the feature set was off. */
  switched(): void {
    if (!this.#options.isOn()) return;
    const held = [...this.#held];
    this.#held.clear();
    for (const reminder of held) void this.#push(reminder, 1);
  }

  end(): void {
    for (const takeBack of this.#waiting.values()) takeBack();
    this.#waiting.clear();
    this.#held.clear();
  }

  #wait(reminder: Reminder, milliseconds: number, attempt: number): void {
    const run = (): void => {
      this.#waiting.delete(reminder);
      void this.#push(reminder, attempt);
    };
    this.#waiting.set(reminder, this.#options.clock.delay(milliseconds, run));
  }

  async #push(reminder: Reminder, attempt: number): Promise<void> {
    const { ask, log, isOn } = this.#options;
    const { eventId, text, at } = reminder;
    if (!isOn()) {
      this.#held.add(reminder);
      log(`The reminder "${text}" is due, but ${PROACTIVE} is off. It is told when that is on again.`);
      return;
    }
    const params = {
      featureSet: PROACTIVE,
      eventId,
      timestamp: new Date(at).toISOString(),
      origin: { server: 'memory', kind: 'reminder' },
      payload: { content: [{ type: 'text', text: `Reminder: ${text}` }] },
    };
    try {
      log(outcomeOf(text, await ask('push/event', params, { timeoutMs: ANSWER_MS })));
    } catch (error) {
      if (error instanceof Unanswered && error.why === 'ended') return;
      log(`The reminder "${text}" was not taken: ${error instanceof Error ? error.message : String(error)}`);
      // It may or may not have arrived. The host drops duplicate ids, so sending again is safe.
      if (error instanceof Unanswered && attempt < MAX_TRIES) this.#wait(reminder, RETRY_MS, attempt + 1);
    }
  }
}

function outcomeOf(text: string, result: unknown): string {
  const { accepted, reason, inferenceId } = isFields(result) ? result : {};
  if (accepted !== true)
    return `The reminder "${text}" was refused: ${typeof reason === 'string' ? reason : 'no reason was given.'}`;
  const asked = typeof inferenceId === 'string' ? ` A model is asked about it (${inferenceId}).` : '';
  return `The reminder "${text}" was told.${asked}`;
}
