import { isObject } from '../../core/index.ts';

/** The input of `mcpl_read_events`. */
export interface EventsRequest {
  readonly server: string | undefined;
  readonly featureSet: string | undefined;
  readonly unreadOnly: boolean;
  readonly limit: number;
  /** The last event of the previous page. */
  readonly before: string | undefined;
  readonly markRead: boolean;
}

/** The input of `mcpl_list_checkpoints`. */
export interface CheckpointsRequest {
  readonly server: string | undefined;
  readonly featureSet: string | undefined;
  readonly text: string;
  readonly limit: number;
  readonly from: number;
}

/** The input of `mcpl_rollback`. */
export interface RollbackRequest {
  readonly target:
    { readonly kind: 'place'; readonly place: number } | { readonly kind: 'name'; readonly name: string };
  readonly server: string | undefined;
  readonly featureSet: string | undefined;
}

const MAX_LISTED = 50;
const USUAL_LISTED = 10;
const MAX_NAME = 1_000;

/** An invalid input, described for the model. */
export class InputProblem extends Error {}

/** Validates the input again, because the caller may not be the editor. */
class InputReader {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: unknown) {
    if (input !== undefined && input !== null && !isObject(input))
      throw new InputProblem('The input must be an object.');
    this.#input = isObject(input) ? input : {};
  }

  /** Treats empty as absent, because models write both. */
  text(name: string): string | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.length > MAX_NAME)
      throw new InputProblem(`"${name}" must be a text of at most ${MAX_NAME} characters.`);
    return value.trim() === '' ? undefined : value.trim();
  }

  flag(name: string): boolean {
    const value = this.#value(name);
    if (value !== undefined && typeof value !== 'boolean') throw new InputProblem(`"${name}" must be true or false.`);
    return value ?? false;
  }

  count(name: string, least: number, most: number): number | undefined {
    const value = this.#value(name);
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most)
      throw new InputProblem(`"${name}" must be a whole number from ${least} to ${most}.`);
    return value;
  }

  #value(name: string): unknown {
    return Object.hasOwn(this.#input, name) ? (this.#input[name] ?? undefined) : undefined;
  }
}

export function readEventsRequest(input: unknown): EventsRequest {
  const reader = new InputReader(input);
  return {
    server: reader.text('server'),
    featureSet: reader.text('featureSet'),
    unreadOnly: reader.flag('unreadOnly'),
    limit: reader.count('limit', 1, MAX_LISTED) ?? USUAL_LISTED,
    before: reader.text('before'),
    markRead: reader.flag('markRead'),
  };
}

export function readCheckpointsRequest(input: unknown): CheckpointsRequest {
  const reader = new InputReader(input);
  return {
    server: reader.text('server'),
    featureSet: reader.text('featureSet'),
    text: reader.text('text') ?? '',
    limit: reader.count('limit', 1, MAX_LISTED) ?? USUAL_LISTED,
    from: reader.count('from', 0, Number.MAX_SAFE_INTEGER) ?? 0,
  };
}

export function readRollbackRequest(input: unknown): RollbackRequest {
  const reader = new InputReader(input);
  const rowId = reader.count('place', 0, Number.MAX_SAFE_INTEGER);
  const name = reader.text('checkpoint');
  const server = reader.text('server');
  const featureSet = reader.text('featureSet');
  if (rowId !== undefined) return { target: { kind: 'place', place: rowId }, server, featureSet };
  if (name === undefined)
    throw new InputProblem('Say to which checkpoint, by "checkpoint" or "place". mcpl_list_checkpoints lists them.');
  return { target: { kind: 'name', name }, server, featureSet };
}
