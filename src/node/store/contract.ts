import type {
  Annotation,
  AuditTotal,
  Consent,
  EraVerdict,
  HeadMove,
  LineageKey,
  LineageQuery,
  ModelUse,
  StateKeeper,
  StateLimits,
  StateUpdate,
} from '../../core/index.ts';

/** Values that SQLite accepts and returns. */
export type Value = string | number | null;
/** In the order of a statement's parameters. JSON text, so that no objects are cloned between threads. */
export type Values = readonly Value[];
/** An undecoded row. It must be decoded before use, because the file is not trusted. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Decoders for messages between the threads and for rows. They throw on invalid input, which is a programming error.
 */
export type Decoder<T> = (value: unknown) => T;

/** The core has the same function, but this thread only imports types from the core to stay small. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function record(value: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw new TypeError('A record was expected.');
  return value;
}

export function text(value: unknown, name: string): string {
  if (typeof value !== 'string') throw new TypeError(`"${name}" must be text.`);
  return value;
}

export function integer(value: unknown, name: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new TypeError(`"${name}" must be an integer.`);
  return value;
}

export function optionalText(value: unknown, name: string): string | undefined {
  return value === null || value === undefined ? undefined : text(value, name);
}

export function optionalInteger(value: unknown, name: string): number | undefined {
  return value === null || value === undefined ? undefined : integer(value, name);
}

export function oneOf<T extends string>(value: unknown, known: readonly T[], name: string): T {
  const found = known.find((each) => each === value);
  if (found === undefined) throw new TypeError(`"${name}" must be one of ${known.join(', ')}.`);
  return found;
}

export function values(count: number): Decoder<Values> {
  return (value) => {
    if (!Array.isArray(value) || value.length !== count || !value.every(isValue))
      throw new TypeError(`${count} values were expected.`);
    return value;
  };
}

export function isValue(value: unknown): value is Value {
  return value === null || typeof value === 'string' || typeof value === 'number';
}

export function rowIdOf(row: Row): number {
  return integer(row['place'], 'place');
}

export const texts: Decoder<readonly string[]> = list((item) => text(item, 'id'));

export const rows: Decoder<readonly Row[]> = list(record);

/** Skips rows that cannot be decoded, so that one of them does not hide the others. */
export function readable<T>(found: readonly Row[], decode: (row: Row) => T): readonly T[] {
  const read: T[] = [];
  for (const row of found)
    try {
      read.push(decode(row));
    } catch {
      // Skip an invalid row.
    }
  return read;
}

export function list<T>(decode: Decoder<T>): Decoder<readonly T[]> {
  return (value) => {
    if (!Array.isArray(value)) throw new TypeError('A list was expected.');
    return value.map((item) => decode(item));
  };
}

export function orNull<T>(decode: Decoder<T>): Decoder<T | null> {
  return (value) => (value === null ? null : decode(value));
}

export function nothing(value: unknown): null {
  if (value !== null) throw new TypeError('Nothing was expected.');
  return null;
}

export const decodeConsent: Decoder<Consent> = (value) => {
  const { server, fingerprint, grants, at } = record(value);
  return {
    server: text(server, 'server'),
    fingerprint: text(fingerprint, 'fingerprint'),
    grants: decodeGrants(grants),
    at: integer(at, 'at'),
  };
};

function decodeGrants(value: unknown): Consent['grants'] {
  const { autoApprove, others } = record(value);
  const tools = list((tool) => text(tool, 'autoApprove'))(autoApprove);
  if (others === undefined) return { autoApprove: tools };
  return { autoApprove: tools, others: list((line) => text(line, 'others'))(others) };
}

export const decodeVerdict: Decoder<EraVerdict> = (value) => {
  const { fingerprint, era, mcpl, at } = record(value);
  if (era !== 'legacy' && era !== 'modern') throw new TypeError('"era" must be legacy or modern.');
  if (typeof mcpl !== 'boolean') throw new TypeError('"mcpl" must be true or false.');
  return { fingerprint: text(fingerprint, 'fingerprint'), era, mcpl, at: integer(at, 'at') };
};

/**
 * The protocol between the extension host and the store's thread. To store something new, add operations here, a
 * repository next to this file, and a migration.
 */
interface StoreOperations {
  'consents.find': {
    readonly params: { readonly server: string; readonly fingerprint: string };
    readonly result: Consent | null;
  };
  'consents.save': { readonly params: Consent; readonly result: null };
  'consents.list': { readonly params: null; readonly result: readonly Consent[] };
  'consents.forget': { readonly params: { readonly server: string }; readonly result: null };
  'verdicts.find': { readonly params: { readonly fingerprint: string }; readonly result: EraVerdict | null };
  'verdicts.save': { readonly params: EraVerdict; readonly result: null };
  'verdicts.forget': { readonly params: { readonly fingerprint: string }; readonly result: null };
  'events.admit': { readonly params: Values; readonly result: StoredAdmission };
  'events.page': { readonly params: PageRequest; readonly result: readonly Row[] };
  'events.change': { readonly params: Values; readonly result: null };
  'events.markRead': { readonly params: readonly string[]; readonly result: null };
  'events.clear': { readonly params: { readonly server: string | null }; readonly result: null };
  'events.remove': { readonly params: readonly string[]; readonly result: null };
  'events.trim': { readonly params: { readonly keep: number }; readonly result: null };
  'grants.page': { readonly params: GrantPageRequest; readonly result: readonly Row[] };
  'grants.find': { readonly params: { readonly id: string }; readonly result: Row | null };
  'grants.save': { readonly params: Values; readonly result: null };
  'grants.revoke': { readonly params: readonly string[]; readonly result: null };
  'audit.append': { readonly params: readonly Values[]; readonly result: null };
  'audit.page': { readonly params: AuditPageRequest; readonly result: readonly Row[] };
  'audit.used': {
    readonly params: { readonly server: string; readonly since: number };
    readonly result: readonly ModelUse[];
  };
  'audit.totals': { readonly params: { readonly since: number }; readonly result: readonly AuditTotal[] };
  'audit.trim': { readonly params: { readonly before: number }; readonly result: null };
  'state.base': { readonly params: BaseRequest; readonly result: Row };
  'state.record': { readonly params: StateUpdate; readonly result: Row };
  'state.move': {
    readonly params: { readonly move: HeadMove; readonly conversation: string | undefined };
    readonly result: null;
  };
  'state.markPruned': { readonly params: { readonly place: number }; readonly result: null };
  'state.annotate': { readonly params: { readonly place: number; readonly change: Annotation }; readonly result: null };
  'state.text': { readonly params: StateTextRequest; readonly result: string | null };
  'state.lineages': { readonly params: null; readonly result: readonly Row[] };
  'state.window': { readonly params: LineageQuery; readonly result: Row };
  'state.checkpoint': { readonly params: { readonly place: number }; readonly result: Row | null };
  'state.find': {
    readonly params: { readonly server: string; readonly checkpoint: string };
    readonly result: readonly Row[];
  };
  'state.path': { readonly params: { readonly target: number }; readonly result: Row | null };
  /** Runs one step after a row id. Returns the start of the next step, or null at the end. */
  'state.trim': { readonly params: TrimRequest; readonly result: number | null };
  /** Runs one step. Returns the number of checkpoints at the end. */
  'state.export': { readonly params: FileStep; readonly result: number | null };
  /** Runs one step. Returns the result at the end. */
  'state.import': { readonly params: FileStep; readonly result: Row | null };
  /** Abandons an export or import. Returns whether more needs to be deleted. */
  'state.leave': { readonly params: { readonly run: string }; readonly result: boolean };
  'state.forget': { readonly params: LineageKey; readonly result: null };
  'state.version': { readonly params: null; readonly result: number };
}

/** Operations that read or clean up lineages. Calls use the others. */
export type LineageOperation =
  | 'state.lineages'
  | 'state.window'
  | 'state.checkpoint'
  | 'state.find'
  | 'state.path'
  | 'state.trim'
  | 'state.export'
  | 'state.import'
  | 'state.leave'
  | 'state.forget'
  | 'state.version';

export interface BaseRequest extends LineageKey {
  readonly conversation: string | undefined;
  readonly keeper: StateKeeper | 'either';
}

export interface StateTextRequest {
  readonly place: number;
  readonly form: 'compact' | 'pretty';
}

export interface TrimRequest {
  readonly limits: StateLimits;
  readonly now: number;
  readonly after: number;
}

export interface FileStep extends LineageKey {
  readonly file: string;
  /** Id of the run, chosen by the caller and shared by its steps. */
  readonly run: string;
}

/** True for a new event. For a known one, the turn that it started. */
export type StoredAdmission = true | { readonly inferenceId: string | null };

/** Rows before a row id, newest first. */
export interface PageRequest {
  readonly before: number | null;
  readonly limit: number;
}

export interface GrantPageRequest {
  /** The id of the last known row. */
  readonly after: number;
  readonly kind: string | null;
}

export interface AuditPageRequest extends PageRequest {
  readonly server: string | null;
  readonly operation: string | null;
}

export type StoreOperation = keyof StoreOperations;
export type StoreParams<O extends StoreOperation> = StoreOperations[O]['params'];
export type StoreResult<O extends StoreOperation> = StoreOperations[O]['result'];

export interface StoreRequest {
  readonly id: number;
  readonly operation: string;
  /** Decoded by the operation. */
  readonly params: unknown;
}

export type ToStore =
  { readonly kind: 'requests'; readonly requests: readonly StoreRequest[] } | { readonly kind: 'close' };

export type FromStore =
  | { readonly kind: 'answers'; readonly answers: readonly StoreAnswer[] }
  /** News for the user: records were lost, or a file was set aside. */
  | { readonly kind: 'notice'; readonly text: string };

export type StoreAnswer =
  | { readonly id: number; readonly ok: true; readonly result: unknown }
  | { readonly id: number; readonly ok: false; readonly failure: StoreFailure };

const FAILURE_KINDS = [
  'newer',
  'full',
  'readOnly',
  'busy',
  'noAccess',
  'damaged',
  'unavailable',
  /** A file to import from or export to failed, not the database. */
  'file',
  /** The database is fine but has reached a limit. */
  'tooMany',
  'other',
] as const;
export type StoreFailureKind = (typeof FAILURE_KINDS)[number];

export interface StoreFailure {
  readonly kind: StoreFailureKind;
  readonly message: string;
}

export function decodeToStore(value: unknown): ToStore | undefined {
  if (!isRecord(value)) return undefined;
  if (value['kind'] === 'close') return { kind: 'close' };
  if (value['kind'] !== 'requests' || !Array.isArray(value['requests'])) return undefined;
  return { kind: 'requests', requests: value['requests'].filter(isRequest) };
}

function isRequest(value: unknown): value is StoreRequest {
  return isRecord(value) && typeof value['id'] === 'number' && typeof value['operation'] === 'string';
}

export function decodeFromStore(value: unknown): FromStore | undefined {
  if (!isRecord(value)) return undefined;
  if (value['kind'] === 'notice' && typeof value['text'] === 'string') return { kind: 'notice', text: value['text'] };
  if (value['kind'] !== 'answers' || !Array.isArray(value['answers'])) return undefined;
  return { kind: 'answers', answers: value['answers'].filter(isAnswer) };
}

function isAnswer(value: unknown): value is StoreAnswer {
  if (!isRecord(value) || typeof value['id'] !== 'number') return false;
  return value['ok'] === true || (value['ok'] === false && isFailure(value['failure']));
}

function isFailure(value: unknown): value is StoreFailure {
  return (
    isRecord(value) && typeof value['message'] === 'string' && FAILURE_KINDS.some((kind) => kind === value['kind'])
  );
}
