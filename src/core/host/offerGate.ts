import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { ignoreFailure } from '../base/async.ts';
import { cancelled, HostError, isHostError } from '../base/errors.ts';
import { isJsonObject } from '../base/json.ts';
import { lazy } from '../base/lazy.ts';
import { cleanLine } from '../base/cleanText.ts';
import type { Clock } from '../base/clock.ts';
import type { CallOptions, ResourceReading, ResourceWatch } from '../hostTypes.ts';
import { type AuditRecord, auditRecord } from '../model/audit.ts';
import type { Tool } from '../model/catalog.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import type { PromptResult } from '../model/content.ts';
import { namesFileUri, setOfUri, setOffOf, setOffOfUri } from '../mcpl/offerSets.ts';
import { scopeOfOffer } from '../scopes/paths/toolScopes.ts';
import { decodeProgress, decodeToolPage } from '../wire/tools.ts';
import type { CompletionOptions } from '../offer/completionRequests.ts';
import type { ScopeDecider } from '../scopes/scopeDecider.ts';
import { deniedCall } from '../scopes/denials.ts';
import type { ManagedServer } from './managedServer.ts';
import { DEFAULT_TIMEOUTS } from '../model/server.ts';
import type { SessionRequest } from '../session/session.ts';

interface OfferGateOptions {
  readonly clock: Pick<Clock, 'now'>;
  decider(): Promise<ScopeDecider>;
  /** Records a refusal. The recorder limits their number. */
  record(record: AuditRecord): void;
}

const READ = 'resources/read';
const MAX_NAMED = 300;

/**
 * The only way to resources, prompts and completion, for requests from every route. Refuses items of a feature set that
 * is off. Checks file URIs against the scope lists, like tool arguments.
 */
export class OfferGate {
  readonly #options: OfferGateOptions;

  constructor(options: OfferGateOptions) {
    this.#options = options;
  }

  async read(unit: ManagedServer, uri: string, options: CallOptions): Promise<ResourceReading> {
    await this.#audited(unit, READ, uri, this.#admit(unit, uri, options.token));
    const { contents, raw } = await unit.offer.resourceCatalog.read(uri, requestOf(unit, options));
    return { contents, raw };
  }

  /** Does not report changes of resources that are off. */
  subscribe(unit: ManagedServer, uri: string, listener: (uri: string) => void): ResourceWatch {
    const { offer } = unit;
    const tell = (changed: string): void => {
      if (isOn(unit, uri) && isOn(unit, changed)) listener(changed);
    };
    if (!needsGate(unit, uri)) return offer.resourceCatalog.subscribe(uri, tell);
    const ended = new CancellationSource();
    let watch: ResourceWatch | undefined;
    const admitted = this.#audited(unit, 'resources/subscribe', uri, this.#admit(unit, uri, ended.token));
    const agreed = admitted.then(() => {
      if (ended.isCancelled) throw cancelled('The subscription');
      watch = offer.resourceCatalog.subscribe(uri, tell);
      return watch.agreed;
    });
    ignoreFailure(agreed);
    const dispose = (): void => {
      ended.cancel();
      watch?.dispose();
    };
    return { agreed, dispose };
  }

  async prompt(
    unit: ManagedServer,
    name: string,
    args: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<PromptResult> {
    await this.#audited(unit, 'prompts/get', name, checkPrompt(unit, name));
    return unit.offer.promptCatalog.get(name, args, requestOf(unit, options));
  }

  async complete(unit: ManagedServer, request: CompletionRequest, options?: CompletionOptions): Promise<Completion> {
    const { reference } = request;
    const [named, checked] =
      reference.kind === 'prompt'
        ? [reference.name, checkPrompt(unit, reference.name)]
        : [reference.uriTemplate, checkTemplate(unit, reference.uriTemplate)];
    await this.#audited(unit, 'completion/complete', named, checked);
    return unit.offer.completions.complete(request, options);
  }

  /** Records uses refused because a set is off. Other failures are recorded elsewhere, or not at all. */
  async #audited(unit: ManagedServer, operation: string, named: string, checked: Promise<void>): Promise<void> {
    try {
      await checked;
    } catch (error) {
      if (isHostError(error, 'FEATURE_SET_OFF')) {
        const { featureSet } = isJsonObject(error.data) ? error.data : {};
        this.#options.record(
          auditRecord({
            at: this.#options.clock.now(),
            server: unit.id,
            operation,
            featureSet: typeof featureSet === 'string' ? featureSet : undefined,
            outcome: 'refused',
            detail: unit.redact(`${cleanLine(named, MAX_NAMED)}: ${error.message}`),
          }),
        );
      }
      throw error;
    }
  }

  async #admit(unit: ManagedServer, uri: string, token: CancellationToken = NO_CANCELLATION): Promise<void> {
    await listed(unit, () => unit.offer.resourceCatalog.listed());
    checkUri(unit, uri);
    if (!namesFileUri(uri)) return;
    const scope = scopeOfOffer(unit.snapshot, setOfUri(uri, unit.offer));
    const { session } = unit;
    const tool = readTool();
    if (scope === undefined || session === undefined || tool === undefined) return;
    const decider = await this.#options.decider();
    const answer = await decider.decide(
      {
        unit,
        featureSet: scope.featureSet,
        matter: { kind: 'call', tool, args: { uri }, adapter: ['$.uri'] },
        call: undefined,
        isCurrent: () => unit.session === session && !session.stopping.isCancellationRequested && isOn(unit, uri),
      },
      token,
    );
    if (answer.approved) return;
    if (token.isCancellationRequested) throw cancelled('The reading');
    throw deniedCall(READ, answer);
  }
}

/** A tool with a file as its only argument, for the scope lists and the prompt. */
const readTool = lazy((): Tool | undefined => {
  const inputSchema = { type: 'object', properties: { uri: { type: 'string', format: 'uri' } } };
  return decodeToolPage({ tools: [{ name: READ, inputSchema }] }).items[0];
});

function needsGate(unit: ManagedServer, uri: string): boolean {
  return hasSetOff(unit) || (namesFileUri(uri) && scopeOfOffer(unit.snapshot, setOfUri(uri, unit.offer)) !== undefined);
}

function hasSetOff({ snapshot: { mcpl } }: ManagedServer): boolean {
  return mcpl !== undefined && (mcpl.withdrawn.length > 0 || mcpl.sets.some(({ state }) => state !== 'enabled'));
}

/** The set of an item is known only after its list is read. */
async function listed(unit: ManagedServer, read: () => Promise<unknown>): Promise<void> {
  if (hasSetOff(unit)) await read().catch(() => undefined);
}

function isOn(unit: ManagedServer, uri: string): boolean {
  return setOffOfUri(uri, unit.offer, unit.snapshot.mcpl) === undefined;
}

function checkUri(unit: ManagedServer, uri: string): void {
  const { offer, snapshot } = unit;
  const template = offer.templates.find(({ uriTemplate }) => uriTemplate === uri);
  const off = (template && setOffOf(template, snapshot.mcpl)) ?? setOffOfUri(uri, offer, snapshot.mcpl);
  if (off !== undefined) throw setIsOff('The resource', off);
}

async function checkTemplate(unit: ManagedServer, uriTemplate: string): Promise<void> {
  await listed(unit, () => unit.offer.resourceCatalog.listed());
  checkUri(unit, uriTemplate);
}

async function checkPrompt(unit: ManagedServer, name: string): Promise<void> {
  await listed(unit, () => unit.offer.promptCatalog.fresh());
  const prompt = unit.offer.prompts.find((each) => each.name === name);
  const off = prompt && setOffOf(prompt, unit.snapshot.mcpl);
  if (off !== undefined) throw setIsOff('The prompt', off);
}

function setIsOff(what: string, featureSet: string): HostError {
  return new HostError('FEATURE_SET_OFF', `${what} is off with its feature set "${featureSet}".`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Switch the feature set on, then try again.',
    data: { featureSet },
  });
}

/** Requests of a stateless server may wait for the user, so they may take as long as a call. */
function requestOf({ definition }: ManagedServer, { token, onProgress }: CallOptions): SessionRequest {
  const { call, callMax } = definition?.timeouts ?? DEFAULT_TIMEOUTS;
  const request = { timeoutMs: call * 1000, maxTimeoutMs: callMax * 1000, token };
  if (onProgress === undefined) return request;
  return { ...request, onProgress: (params) => onProgress(decodeProgress(params)) };
}
