import { CancellationSource, type CancellationToken, NO_CANCELLATION } from '../base/cancellation.ts';
import { ignoreFailure } from '../base/async.ts';
import { cancelled, HostError } from '../base/errors.ts';
import type { JsonObject } from '../base/json.ts';
import type { CallOptions, ResourceReading, ResourceWatch } from '../hostTypes.ts';
import type { Completion, CompletionRequest } from '../model/completion.ts';
import type { PromptResult } from '../model/content.ts';
import { namesFile, setOfUri, setOffOf, setOffOfUri } from '../policy/offerSets.ts';
import { scopeOfOffer } from '../policy/toolScopes.ts';
import { decodeToolPage } from '../wire/tools.ts';
import type { CompletionOptions } from './completion.ts';
import type { ScopeDesk } from './scopeDesk.ts';
import { deniedCall } from './scopeGate.ts';
import type { ServerUnit } from './serverUnit.ts';
import { requestOf } from './unitRequest.ts';

export interface OfferGateOptions {
  desk(): Promise<ScopeDesk>;
}

const READ = 'resources/read';

/**
 * The one way to resources, prompts and completion, whatever route a request comes by: what belongs to a feature set that
 * is off is refused, and a URI of a file is judged by the scope lists like an argument of a tool.
 */
export class OfferGate {
  readonly #options: OfferGateOptions;

  constructor(options: OfferGateOptions) {
    this.#options = options;
  }

  async read(unit: ServerUnit, uri: string, options: CallOptions): Promise<ResourceReading> {
    await this.#admit(unit, uri, options.token);
    const { contents, raw } = await unit.offer.resourceCatalog.read(uri, requestOf(unit, options));
    return { contents, raw };
  }

  /** Changes of what is off are not told. */
  subscribe(unit: ServerUnit, uri: string, listener: (uri: string) => void): ResourceWatch {
    const { offer } = unit;
    const tell = (changed: string): void => {
      if (isOn(unit, uri) && isOn(unit, changed)) listener(changed);
    };
    if (!needsGate(unit, uri)) return offer.resourceCatalog.subscribe(uri, tell);
    const ended = new CancellationSource();
    let watch: ResourceWatch | undefined;
    const agreed = this.#admit(unit, uri, ended.token).then(() => {
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
    unit: ServerUnit,
    name: string,
    args: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<PromptResult> {
    await checkPrompt(unit, name);
    return unit.offer.promptCatalog.get(name, args, requestOf(unit, options));
  }

  async complete(unit: ServerUnit, request: CompletionRequest, options?: CompletionOptions): Promise<Completion> {
    const { reference } = request;
    if (reference.kind === 'prompt') await checkPrompt(unit, reference.name);
    else checkUri(unit, reference.uriTemplate);
    return unit.offer.completions.complete(request, options);
  }

  async #admit(unit: ServerUnit, uri: string, token: CancellationToken = NO_CANCELLATION): Promise<void> {
    await listed(unit, () => unit.offer.resourceCatalog.listed());
    checkUri(unit, uri);
    if (!namesFile(uri)) return;
    const scope = scopeOfOffer(unit.snapshot, setOfUri(uri, unit.offer));
    const { session } = unit;
    if (scope === undefined || session === undefined || READ_TOOL === undefined) return;
    const desk = await this.#options.desk();
    const answer = await desk.decide(
      {
        unit,
        featureSet: scope.featureSet,
        matter: { kind: 'call', tool: READ_TOOL, args: { uri }, adapter: ['$.uri'] },
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

/** A tool with a file as its only argument, for the lists and for the question to a person. */
const READ_DEFINITION: JsonObject = {
  name: READ,
  inputSchema: { type: 'object', properties: { uri: { type: 'string', format: 'uri' } } },
};
const [READ_TOOL] = decodeToolPage({ tools: [READ_DEFINITION] }).items;

function needsGate(unit: ServerUnit, uri: string): boolean {
  return hasSetOff(unit) || (namesFile(uri) && scopeOfOffer(unit.snapshot, setOfUri(uri, unit.offer)) !== undefined);
}

function hasSetOff({ snapshot }: ServerUnit): boolean {
  return snapshot.mcpl?.sets.some(({ state }) => state !== 'enabled') === true;
}

/** Which set an item belongs to is known once the list was read. */
async function listed(unit: ServerUnit, read: () => Promise<unknown>): Promise<void> {
  if (hasSetOff(unit)) await read().catch(() => undefined);
}

function isOn(unit: ServerUnit, uri: string): boolean {
  return setOffOfUri(uri, unit.offer, unit.snapshot.mcpl) === undefined;
}

function checkUri(unit: ServerUnit, uri: string): void {
  const { offer, snapshot } = unit;
  const template = offer.templates.find(({ uriTemplate }) => uriTemplate === uri);
  const off = (template && setOffOf(template, snapshot.mcpl)) ?? setOffOfUri(uri, offer, snapshot.mcpl);
  if (off !== undefined) throw setIsOff('The resource', off);
}

async function checkPrompt(unit: ServerUnit, name: string): Promise<void> {
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
