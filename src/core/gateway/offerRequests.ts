import { isHostError, RPC, WireError } from '../base/errors.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { CallOptions, Host } from '../hostTypes.ts';
import type { CompletionReference, CompletionRequest } from '../model/completion.ts';
import type { ShownNames } from './shownText.ts';
import { wellFormedPromptResult, wellFormedReading } from './wellFormedOffer.ts';

interface Asker {
  readonly asker: string;
  readonly names: ShownNames;
}

/** What is asked of a server beside its tools, in the words of MCP. Each throws a `WireError` or a `HostError`. */
export class OfferRequests {
  readonly #host: Pick<Host, 'getPrompt' | 'readResource' | 'complete'>;
  readonly #server: string;
  readonly #asker: string;
  readonly #names: ShownNames;

  /** `asker` names the client: what it asks to have completed is overtaken by what the same one asks later. */
  constructor(host: Pick<Host, 'getPrompt' | 'readResource' | 'complete'>, server: string, { asker, names }: Asker) {
    this.#host = host;
    this.#server = server;
    this.#asker = asker;
    this.#names = names;
  }

  async prompt(params: JsonObject, options: CallOptions): Promise<JsonObject> {
    const { name, arguments: args } = params;
    if (typeof name !== 'string' || name === '') throw invalid('`name` is the name of a prompt.');
    if (args !== undefined && args !== null && !isJsonObject(args)) throw invalid('`arguments` is a JSON object.');
    return wellFormedPromptResult(
      await this.#host.getPrompt(this.#server, this.#names.real(name), textsOf(args), options),
    );
  }

  async reading(params: JsonObject, options: CallOptions): Promise<JsonObject> {
    return wellFormedReading(await this.#host.readResource(this.#server, this.#names.real(uriOf(params)), options));
  }

  async completion(params: JsonObject, { token }: CallOptions): Promise<JsonObject> {
    const request = decodeCompletionRequest(params, this.#names);
    try {
      const { values, total, hasMore } = await this.#host.complete(this.#server, request, {
        token,
        asker: this.#asker,
      });
      return { completion: { values: [...values], ...(total === undefined ? {} : { total }), hasMore } };
    } catch (error) {
      // Whoever typed on has asked again.
      if (isHostError(error, 'CANCELLED')) return { completion: { values: [], hasMore: false } };
      throw error;
    }
  }
}

export function uriOf({ uri }: JsonObject): string {
  if (typeof uri !== 'string' || uri === '') throw invalid('`uri` is the URI of a resource.');
  return uri;
}

function decodeCompletionRequest({ ref, argument, context }: JsonObject, names: ShownNames): CompletionRequest {
  if (!isJsonObject(argument)) throw invalid('`argument` is what is being filled in.');
  const { name, value } = argument;
  if (typeof name !== 'string' || typeof value !== 'string')
    throw invalid('`argument` has a `name` and a `value`, which are texts.');
  const settled = isJsonObject(context) ? context['arguments'] : undefined;
  return { reference: referenceOf(ref, names), argument: { name, value }, settled: textsOf(settled) };
}

function referenceOf(ref: Json | undefined, names: ShownNames): CompletionReference {
  const { type, name, uri } = isJsonObject(ref) ? ref : {};
  if (type === 'ref/prompt' && typeof name === 'string') return { kind: 'prompt', name: names.real(name) };
  if (type === 'ref/resource' && typeof uri === 'string') return { kind: 'template', uriTemplate: names.real(uri) };
  throw invalid('`ref` names a prompt (`ref/prompt`) or a resource template (`ref/resource`).');
}

/** Arguments of prompts are texts (MCP "Prompts"); what else a client has is written as JSON. */
function textsOf(args: Json | undefined): Readonly<Record<string, string>> {
  if (!isJsonObject(args)) return {};
  const entries = Object.entries(args).flatMap(([name, value]): readonly (readonly [string, string])[] =>
    value === undefined || value === null ? [] : [[name, typeof value === 'string' ? value : JSON.stringify(value)]],
  );
  return Object.fromEntries(entries);
}

function invalid(why: string): WireError {
  return new WireError(RPC.invalidParams, why);
}
