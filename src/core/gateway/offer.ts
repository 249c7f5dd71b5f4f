import { type Clock, nextTurn } from '../base/clock.ts';
import { HostError, isHostError, RPC, WireError } from '../base/errors.ts';
import { withoutHidden } from '../base/hiddenText.ts';
import { isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import type { CallOptions, Host } from '../hostTypes.ts';
import type { Icon, Prompt, Resource, ResourceTemplate } from '../model/catalog.ts';
import type { CompletionReference, CompletionRequest } from '../model/completion.ts';
import { isRunning, type OfferedTool, type ServerSnapshot } from '../model/server.ts';
import {
  cleanDefinition,
  ShownNames,
  wellFormedHints,
  wellFormedPrompt,
  wellFormedPromptResult,
  wellFormedReading,
  wellFormedResource,
  wellFormedTool,
} from './wellFormed.ts';

/**
 * Whether clients see the server's lists. They stay visible during a restart: a chat would otherwise lose them in the
 * middle of a turn. Requests during the restart get an error with the next step.
 */
export function isListed(snapshot: ServerSnapshot | undefined): snapshot is ServerSnapshot {
  const kind = snapshot?.state.kind;
  return kind === 'running' || kind === 'starting' || kind === 'restarting';
}

export function listedPrompts(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  return names.distinct(snapshot.prompts, ({ name }) => name).map((prompt) => describePrompt(prompt, names));
}

export function listedResources(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  return names.distinct(snapshot.resources, ({ uri }) => uri).map((resource) => describeResource(resource, names));
}

export function listedTemplates(snapshot: ServerSnapshot | undefined, names: ShownNames): readonly JsonObject[] {
  if (!isListed(snapshot)) return [];
  const all = names.distinct(snapshot.templates, ({ uriTemplate }) => uriTemplate);
  return all.map((template) => describeTemplate(template, names));
}

/** Only forwards icons with safe addresses (MCP 2025-11-25 "Icons"). */
function iconsJson(icons: readonly Icon[]): JsonObject {
  return icons.length === 0 ? {} : { icons: icons.map(iconJson) };
}

function describePrompt({ raw, name, icons }: Prompt, names: ShownNames): JsonObject {
  return { ...wellFormedPrompt(cleanDefinition(raw)), name: names.shown(name), ...iconsJson(icons) };
}

function describeResource({ raw, uri, name, icons }: Resource, names: ShownNames): JsonObject {
  const shown = { uri: names.shown(uri), name: withoutHidden(name) };
  return { ...wellFormedResource(cleanDefinition(raw)), ...shown, ...iconsJson(icons) };
}

function describeTemplate({ raw, uriTemplate, name, icons }: ResourceTemplate, names: ShownNames): JsonObject {
  const shown = { uriTemplate: names.shown(uriTemplate), name: withoutHidden(name) };
  return { ...wellFormedResource(cleanDefinition(raw)), ...shown, ...iconsJson(icons) };
}

function iconJson({ src, mimeType, sizes, theme }: Icon): JsonObject {
  return { src, mimeType, ...(sizes.length === 0 ? {} : { sizes: [...sizes] }), theme };
}

/**
 * The capabilities announced to a client. For a running server these are its own, because editors show a section for
 * each. A stopped server may gain any capability later, and clients read this only once: all are announced, and the
 * lists notify about changes.
 */
export function declaredCapabilities(snapshot: ServerSnapshot | undefined): JsonObject {
  const isKnown = snapshot !== undefined && isRunning(snapshot.state);
  const has = (capability: string): boolean => !isKnown || isJsonObject(snapshot.capabilities[capability]);
  const resources = isKnown ? snapshot.capabilities['resources'] : undefined;
  const tellsChanges = !isKnown || (isJsonObject(resources) && resources['subscribe'] === true);
  return {
    tools: { listChanged: true },
    ...(has('prompts') ? { prompts: { listChanged: true } } : {}),
    ...(has('resources') ? { resources: { listChanged: true, ...(tellsChanges ? { subscribe: true } : {}) } } : {}),
    ...(completes(snapshot, isKnown) ? { completions: {} } : {}),
    logging: {},
  };
}

/** Before MCP 2025-03-26 there was no such capability. The host sends the request and handles an error. */
function completes(snapshot: ServerSnapshot | undefined, isKnown: boolean): boolean {
  if (snapshot === undefined || !isKnown) return true;
  const { capabilities, state } = snapshot;
  if (isJsonObject(capabilities['completions'])) return true;
  if (!isRunning(state) || state.protocolVersion >= '2025-03-26') return false;
  return isJsonObject(capabilities['prompts']) || isJsonObject(capabilities['resources']);
}

/** Maximum tools described at once: 10,000 take 25 ms, and serializing them another 15. */
const PART = 1_000;

/** The tools that clients see. */
export async function listedTools(
  snapshot: ServerSnapshot | undefined,
  clock: Clock,
  names: ShownNames = new ShownNames(),
): Promise<readonly JsonObject[]> {
  if (!isListed(snapshot)) return [];
  const all = snapshot.tools.filter((tool) => tool.offered);
  const offered = names.distinct(all, ({ tool }) => tool.name);
  const listed: JsonObject[] = [];
  for (let from = 0; from < offered.length; from += PART) {
    if (from > 0) await nextTurn(clock);
    listed.push(...offered.slice(from, from + PART).map((tool) => describe(tool, names)));
  }
  return listed;
}

/**
 * The server's definition including unknown members, except for one hint and the icons. Editors run tools with
 * `readOnlyHint` without a prompt, so the hint states the user's decision instead of the server's claim.
 */
function describe({ tool, autoApproved }: OfferedTool, names: ShownNames): JsonObject {
  const { icons: _, ...raw } = cleanDefinition(tool.raw);
  const { annotations, inputSchema } = raw;
  return {
    ...wellFormedTool(raw, isJsonObject(inputSchema) ? inputSchema : cleanDefinition(tool.inputSchema)),
    name: names.shown(tool.name),
    ...iconsJson(tool.icons),
    annotations: { ...wellFormedHints(annotations), readOnlyHint: autoApproved },
  };
}

export function approvedNames(snapshot: ServerSnapshot | undefined): ReadonlySet<string> {
  const tools = snapshot?.tools ?? [];
  return new Set(tools.filter(({ autoApproved }) => autoApproved).map(({ tool }) => tool.name));
}

/** A missing tool is rejected elsewhere. */
export function isStillApproved(snapshot: ServerSnapshot | undefined, name: string): boolean {
  return snapshot?.tools.find(({ tool }) => tool.name === name)?.autoApproved !== false;
}

export function noLongerApproved(tool: string): HostError {
  return new HostError('NOT_APPROVED', `The tool "${tool}" may no longer be called without asking the person.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'List the tools again, then call it again.',
  });
}

interface Asker {
  readonly asker: string;
  readonly names: ShownNames;
}

/** The part of the host for these requests. */
export type OfferHost = Pick<Host, 'getPrompt' | 'readResource' | 'complete'>;

interface OfferRequest {
  /** Whether the answer may be a stream with progress. */
  readonly mayStream: boolean;
  answer(requests: OfferRequests, params: JsonObject, options: CallOptions): Promise<JsonObject>;
}

/** Requests of clients that the server answers, besides calls of tools. Not an object: a client chooses the key. */
export const OFFER_REQUESTS: ReadonlyMap<string, OfferRequest> = new Map<string, OfferRequest>([
  ['prompts/get', { mayStream: true, answer: (requests, params, options) => requests.prompt(params, options) }],
  ['resources/read', { mayStream: true, answer: (requests, params, options) => requests.reading(params, options) }],
  [
    'completion/complete',
    { mayStream: false, answer: (requests, params, options) => requests.completion(params, options) },
  ],
]);

/** Handles requests about prompts, resources and completion. They throw a `WireError` or a `HostError`. */
export class OfferRequests {
  readonly #host: OfferHost;
  readonly #server: string;
  readonly #asker: string;
  readonly #names: ShownNames;

  /** `asker` identifies the client: a new completion request replaces its previous one. */
  constructor(host: OfferHost, server: string, { asker, names }: Asker) {
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
      // A newer request replaced this one.
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

/** Prompt arguments are strings (MCP "Prompts"). Other values are sent as JSON. */
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
