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
import { isRecord, type Row, type Values } from './records.ts';

/**
 * What the extension host and the store's thread say to each other. A feature that keeps something adds its operations
 * here, a repository of its own beside this file, and a migration.
 */
export interface StoreOperations {
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
  /** A step behind a place; answers behind which one the next step begins, or nothing when all is done. */
  'state.trim': { readonly params: TrimRequest; readonly result: number | null };
  /** A step of it; answers how many there are when all is done. */
  'state.export': { readonly params: FileStep; readonly result: number | null };
  /** A step of it; answers what came of it when all is done. */
  'state.import': { readonly params: FileStep; readonly result: Row | null };
  /** Of one of these that goes on no more; answers whether there is more to be cleared away. */
  'state.leave': { readonly params: { readonly run: string }; readonly result: boolean };
  'state.forget': { readonly params: LineageKey; readonly result: null };
  'state.version': { readonly params: null; readonly result: number };
}

/** Those that look at lineages or tidy them up; the others are what a call does. */
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
  /** A name for all its steps, by whoever asks for them. */
  readonly run: string;
}

/** True where the event was kept; where it was known, the turn that it began. */
export type StoredAdmission = true | { readonly inferenceId: string | null };

/** Rows before a place, the newest first. */
export interface PageRequest {
  readonly before: number | null;
  readonly limit: number;
}

export interface GrantPageRequest {
  /** The place of the last one that is known. */
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
  /** Decoded by the operation itself. */
  readonly params: unknown;
}

export type ToStore =
  { readonly kind: 'requests'; readonly requests: readonly StoreRequest[] } | { readonly kind: 'close' };

export type FromStore =
  | { readonly kind: 'answers'; readonly answers: readonly StoreAnswer[] }
  /** Something that a person should know: records were lost, a file was set aside. */
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
  /** Nothing is wrong with the database, but with a file that something was to be taken from, or written to. */
  'file',
  /** Nothing is wrong with it either: there is as much in it as it takes. */
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
