import { cleanLine } from '../base/cleanText.ts';
import { type Disposable, DisposableStore } from '../base/disposable.ts';
import type { HostError } from '../base/errors.ts';
import { Emitter, type Event } from '../base/event.ts';
import type { Logger } from '../base/log.ts';
import type { Prompt, Resource, ResourceTemplate, Tool } from '../model/catalog.ts';
import type { McplSnapshot } from '../model/mcpl.ts';
import type { Listing } from '../model/server.ts';
import { isSetOn, setOffOfUri } from '../mcpl/offerSets.ts';
import type { Clock } from '../ports.ts';
import type { SessionFeature } from '../session/session.ts';
import { Completions } from './completionRequests.ts';
import { PromptCatalog } from './promptCatalog.ts';
import { ResourceCatalog } from './resourceCatalog.ts';
import { ToolCatalog } from './toolCatalog.ts';

interface ServerOfferOptions {
  readonly clock: Clock;
  readonly log: Logger;
  listTimeoutMs(): number;
  mcpl(): McplSnapshot | undefined;
}

type OfferKind = 'tools' | 'resources' | 'prompts';

interface OfferChange {
  readonly kind: OfferKind;
  /** Whether the change is visible. */
  readonly isNews: boolean;
}

const UNREAD: Listing = { kind: 'unread' };
const READ: Listing = { kind: 'read' };

/** The tools, resources and prompts of one server as last read, across all its connections. */
export class ServerOffer implements Disposable {
  readonly #store = new DisposableStore();
  readonly #changed = this.#store.add(new Emitter<OfferChange>());
  readonly toolCatalog: ToolCatalog;
  readonly resourceCatalog: ResourceCatalog;
  readonly promptCatalog: PromptCatalog;
  readonly completions: Completions;
  readonly features: readonly SessionFeature[];
  tools: readonly Tool[] = [];
  resources: readonly Resource[] = [];
  templates: readonly ResourceTemplate[] = [];
  prompts: readonly Prompt[] = [];
  readonly #remarks = new WeakMap<Tool, string>();
  readonly #log: Logger;
  #listings: Readonly<Record<OfferKind, Listing>> = { tools: UNREAD, resources: UNREAD, prompts: UNREAD };

  constructor(options: ServerOfferOptions) {
    const { clock, log } = options;
    this.#log = log;
    const listTimeoutMs = (): number => options.listTimeoutMs();
    const common = { clock, log, listTimeoutMs, requestTimeoutMs: listTimeoutMs };
    this.toolCatalog = new ToolCatalog({
      ...common,
      onTools: (tools) => {
        this.tools = tools;
        this.#set('tools', READ);
      },
      onFailed: (error) => this.#fail('tools', error),
    });
    this.resourceCatalog = new ResourceCatalog({
      ...common,
      setOffOf: (uri) => setOffOfUri(uri, this, options.mcpl()),
      isSetOn: (name) => isSetOn(name, options.mcpl()),
      onResources: (resources) => {
        const isNews = resources.length + this.resources.length > 0;
        this.resources = resources;
        this.#set('resources', READ, isNews);
      },
      onTemplates: (templates) => {
        const isNews = templates.length + this.templates.length > 0;
        this.templates = templates;
        this.#changed.fire({ kind: 'resources', isNews });
      },
      onFailed: (_, error) => this.#fail('resources', error),
    });
    this.promptCatalog = new PromptCatalog({
      ...common,
      onPrompts: (prompts) => {
        const isNews = prompts.length + this.prompts.length > 0;
        this.prompts = prompts;
        this.#set('prompts', READ, isNews);
      },
      onFailed: (error) => this.#fail('prompts', error),
    });
    this.completions = new Completions(common);
    this.features = [this.toolCatalog, this.resourceCatalog, this.promptCatalog, this.completions];
  }

  /** Shows the definition of a tool with a problem that the host found. */
  remark(tool: Tool, why: string): void {
    if (this.#remarks.has(tool)) return;
    this.#remarks.set(tool, why);
    this.#log.log('warn', `The arguments of the tool "${cleanLine(tool.name, 100)}" are not checked: ${why}`);
    this.#changed.fire({ kind: 'tools', isNews: true });
  }

  remarkOn(tool: Tool): string | undefined {
    return this.#remarks.get(tool);
  }

  get onDidChange(): Event<OfferChange> {
    return this.#changed.event;
  }

  get listings(): Readonly<Record<OfferKind, Listing>> {
    return this.#listings;
  }

  /**
   * Other feature sets are on. Servers list items of a set only while it is on, and some do not announce the change.
   * `onlyEmpty`: does not reread lists that have items.
   */
  granted(onlyEmpty: boolean): void {
    if (!onlyEmpty || this.tools.length === 0) this.toolCatalog.changed();
    if (!onlyEmpty || this.prompts.length === 0) this.promptCatalog.changed();
    if (!onlyEmpty || this.resources.length + this.templates.length === 0) this.resourceCatalog.changed();
  }

  /** The connection has closed: keeps the lists, marked as out of date. */
  outdate(): void {
    this.#listings = { tools: UNREAD, resources: UNREAD, prompts: UNREAD };
  }

  dispose(): void {
    this.#store.dispose();
  }

  #fail(kind: OfferKind, error: HostError): void {
    this.#set(kind, { kind: 'failed', error });
  }

  /** A list that stays empty is not a visible change. */
  #set(kind: OfferKind, listing: Listing, isNews = true): void {
    const hadFailed = this.#listings[kind].kind === 'failed';
    this.#listings = { ...this.#listings, [kind]: listing };
    this.#changed.fire({ kind, isNews: isNews || hadFailed });
  }
}
