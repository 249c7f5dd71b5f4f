import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { NOTIFICATION_CHECKS, type ParamsCheck, REQUEST_CHECKS, RESULT_CHECKS } from './messageChecks.ts';
import { type Decoded, invalid, metaOf, NOT_IN_REVISION, object, ok } from './members.ts';
import { invokeDialect } from './mcp/invokeDialect.ts';
import { isMethodOfMcp, REVISIONS } from './mcpRevisions.ts';
import type { MethodShape, Revision, Traits } from './revision.ts';
import { decodeInputRequired } from './envelope.ts';
import { decodeCreatedTask, TASKS_EXTENSION } from './taskMessages.ts';

/**
 * Encodes and decodes messages of one revision. Only checks members that the host acts on, and passes all others
 * through in the same object. Methods that no MCP revision has belong to extensions and pass too.
 */
export interface WireCodec {
  readonly version: string;
  readonly traits: Traits;
  /** Whether this revision has the method as a separate message in this direction. */
  knows(method: string, direction: 'toServer' | 'toClient'): boolean;
  /** Whether another revision has the method and this one does not. Answer with -32601, or do not send it. */
  lacks(method: string, direction: 'toServer' | 'toClient'): boolean;
  /** A request from the server. */
  decodeRequest(method: string, params: JsonObject): Decoded<JsonObject>;
  /** An entry of `inputRequests`. */
  decodeInput(method: string, params: JsonObject): Decoded<JsonObject>;
  decodeNotification(method: string, params: JsonObject): Decoded<JsonObject>;
  /** The answer to a request of the host. `params` are those that were sent, including `_meta`. */
  decodeResult(method: string, params: JsonObject, result: Json): Decoded<Json>;
}

class RevisionCodec implements WireCodec {
  readonly version: string;
  readonly traits: Traits;
  readonly #methods: ReadonlyMap<string, MethodShape>;

  constructor({ version, traits, methods }: Revision) {
    this.version = version;
    this.traits = traits;
    this.#methods = methods;
  }

  knows(method: string, direction: 'toServer' | 'toClient'): boolean {
    const shape = this.#methods.get(method);
    return shape !== undefined && shape.kind !== 'input' && isSent(shape, direction);
  }

  lacks(method: string, direction: 'toServer' | 'toClient'): boolean {
    return isMethodOfMcp(method) && !this.knows(method, direction);
  }

  decodeRequest(method: string, params: JsonObject): Decoded<JsonObject> {
    return this.#decode(method, 'request', params, REQUEST_CHECKS);
  }

  decodeInput(method: string, params: JsonObject): Decoded<JsonObject> {
    return this.#decode(method, 'input', params, REQUEST_CHECKS);
  }

  decodeNotification(method: string, params: JsonObject): Decoded<JsonObject> {
    return this.#decode(method, 'notification', params, NOTIFICATION_CHECKS);
  }

  decodeResult(method: string, params: JsonObject, result: Json): Decoded<Json> {
    if (this.lacks(method, 'toServer')) return NOT_IN_REVISION;
    if (this.traits.resultType && isJsonObject(result)) {
      const type = result['resultType'] ?? 'complete';
      const problem = resultTypeProblem(type, method, params, result);
      if (problem !== undefined) return invalid(problem);
      if (type !== 'complete') return ok(result);
    }
    const why = RESULT_CHECKS.get(method)?.(result, this.traits);
    return why === undefined ? ok(result) : invalid(why);
  }

  #decode(
    method: string,
    kind: MethodShape['kind'],
    params: JsonObject,
    checks: ReadonlyMap<string, ParamsCheck>,
  ): Decoded<JsonObject> {
    if (!isMethodOfMcp(method)) return ok(params);
    const shape = this.#methods.get(method);
    if (shape === undefined || shape.kind !== kind || !isSent(shape, 'toClient')) return NOT_IN_REVISION;
    const why = checks.get(method)?.(params, this.traits);
    return why === undefined ? ok(params) : invalid(why);
  }
}

function isSent(shape: MethodShape, direction: 'toServer' | 'toClient'): boolean {
  return shape.direction === direction || shape.direction === 'both';
}

const CODECS: ReadonlyMap<string, WireCodec> = new Map(
  REVISIONS.map((revision) => [revision.version, new RevisionCodec(revision)]),
);

/** Sent by servers built with the first SDKs. It has no differences that matter to a host. */
const PREHISTORY = '2024-10-07';

/** The codec of a revision, or `undefined` for an unsupported one. */
export function codecFor(protocolVersion: string): WireCodec | undefined {
  return CODECS.get(protocolVersion === PREHISTORY ? '2024-11-05' : protocolVersion);
}

export const dialectCodec: WireCodec = new RevisionCodec(invokeDialect);

/** MCP 2026-07-28 "Multi round-trip requests", "Supported requests". */
const MAY_ASK = ['prompts/get', 'resources/read', 'tools/call'];

/** Why a request does not allow a result of this type. */
function resultTypeProblem(type: Json, method: string, params: JsonObject, result: JsonObject): string | undefined {
  switch (type) {
    case 'complete':
      return undefined;
    case 'input_required': {
      if (!MAY_ASK.includes(method)) return `the answer asks for input, which "${method}" has no place for`;
      return decodeInputRequired(result) === undefined
        ? 'the answer asks for input in a form that is not understood'
        : undefined;
    }
    case 'task': {
      if (method !== 'tools/call' || !declaresTasks(params)) return 'the answer is a task, and none was offered';
      const decoded = decodeCreatedTask(result);
      return decoded.kind === 'invalid' ? decoded.why : undefined;
    }
    default:
      return `the answer is of a type that is not known: ${JSON.stringify(type).slice(0, 60)}`;
  }
}

/** Only the declaration in the request counts, because requests are stateless. */
function declaresTasks(params: JsonObject): boolean {
  const extensions = object(object(metaOf(params, 'clientCapabilities'))?.['extensions']);
  return extensions?.[TASKS_EXTENSION] !== undefined;
}
