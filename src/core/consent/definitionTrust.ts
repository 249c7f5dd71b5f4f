import { messageOf } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import type { Tool } from '../model/catalog.ts';
import type { ToolGrant } from '../model/grant.ts';
import type { DefinitionAnswer, SeenDefinition, ToolChange } from '../model/server.ts';
import { baselineOf, definitionText, isTrusted, MANY_CHANGES, startedWith, trustedText } from './toolTrust.ts';
import type { Clock, GrantStore, Ids } from '../ports.ts';

export interface ToolTrustOptions {
  readonly server: string;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Logger;
  readonly trust: GrantStore;
  redact(text: string): string;
  /** Called when a tool's trust changed. */
  onChange(): void;
}

/** A running server's tools, with the names that models may call without a prompt. */
export interface TrustedTools {
  /** A new object per connection. */
  readonly session: object;
  /** Fingerprint of the connection's program. */
  readonly fingerprint: string | undefined;
  readonly tools: readonly Tool[];
  readonly names: readonly string[];
  /** The names that the user allowed together with this program. */
  readonly allowedWithProgram: readonly string[];
}

/** Maximum programs remembered per tool, under one server name. */
const MAX_PROGRAMS = 8;
/** Longer definitions are compared but not stored for display. */
const MAX_KEPT = 200_000;

/**
 * Binds the trust in a server's tools to their definitions. The first definition after the user chose a tool is the
 * baseline. Any other suspends the trust until the user approves it. Nothing counts before it is durable.
 */
export class DefinitionTrust {
  readonly #options: ToolTrustOptions;
  readonly #grants = new Map<string, readonly ToolGrant[]>();
  readonly #forms = new WeakMap<Tool, string>();
  /** Tools seen on this connection. */
  readonly #seen = new Set<string>();
  /** Names that the user added to settings since they were last seen. Their next definition becomes the baseline. */
  readonly #written = new Set<string>();
  /** Names that the user chose in a view, with a known definition. */
  readonly #chosen = new Set<string>();
  /** Definitions that are being saved, or failed to be saved. */
  readonly #saving = new Map<string, string>();
  /** Definitions that also differ from the stored baseline, which another window may have changed. */
  readonly #changed = new Map<string, string>();
  /** Definitions that are being looked up in the store. */
  readonly #checking = new Map<string, string>();
  #now: TrustedTools | undefined;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  /** Set after a failed read, which is retried with the next start, not with each change of the server. */
  #isUnreadable = false;

  constructor(options: ToolTrustOptions) {
    this.#options = options;
  }

  /** Never rejects. Unreadable tools are not trusted. */
  load(): Promise<void> {
    const { trust, server, log } = this.#options;
    this.#loading ??= trust.list('tool').then(
      (grants) => {
        for (const grant of grants) if (grant.kind === 'tool' && grant.server === server) this.#put(grant);
        this.#isLoaded = true;
      },
      (error: unknown) => {
        this.#loading = undefined;
        this.#isUnreadable = true;
        log.log(
          'error',
          `The approved definitions of tools could not be read, so all tools ask first: ${messageOf(error)}`,
        );
      },
    );
    return this.#loading;
  }

  /** Call this after the user added names to settings. */
  written(names: readonly string[]): void {
    for (const name of names) if (!this.#chosen.delete(name)) this.#written.add(name);
  }

  /** Compares the current definitions with the approved ones. */
  look(now: TrustedTools | undefined): void {
    if (now?.session !== this.#now?.session) {
      this.#seen.clear();
      this.#saving.clear();
    }
    this.#now = now;
    if (now === undefined || now.names.length === 0) return;
    if (!this.#isLoaded) {
      if (this.#loading === undefined && !this.#isUnreadable) void this.load().then(() => this.#options.onChange());
      return;
    }
    const names = new Set(now.names);
    for (const tool of now.tools) if (names.has(tool.name)) this.#lookAt(tool);
  }

  isTrusted(tool: Tool): boolean {
    const grant = this.#baseline(tool.name);
    return grant !== undefined && isTrusted(grant, this.#formOf(tool), this.#now?.fingerprint);
  }

  /** The difference from the approved definition. Absent without a difference, or while it is unknown. */
  changeOf(tool: Tool): ToolChange | undefined {
    const form = this.#formOf(tool);
    const grant = this.#baseline(tool.name);
    if (grant === undefined || this.#changed.get(tool.name) !== form || this.isTrusted(tool)) return undefined;
    return {
      form,
      before: grant.definition,
      now: this.#textOf(tool),
      isFrequent: grant.changes >= MANY_CHANGES,
      isDeclined: grant.declined === form,
    };
  }

  /** The user chose tools while seeing these definitions. Rejects if the choice cannot be stored. */
  async choose(names: readonly string[], seen: readonly Tool[]): Promise<void> {
    if (names.length > 0) await this.load();
    for (const tool of seen.filter(({ name }) => names.includes(name))) {
      this.#chosen.add(tool.name);
      this.#written.delete(tool.name);
      await this.#save(this.#grantOf(tool));
    }
  }

  /** The user answered for definitions they saw. A definition that changed since then is skipped. */
  async answer(seen: readonly SeenDefinition[], answer: DefinitionAnswer): Promise<void> {
    for (const { tool: name, form } of seen) {
      const tool = this.#now?.tools.find((each) => each.name === name);
      const grant = this.#baseline(name);
      if (tool === undefined || grant === undefined || this.#formOf(tool) !== form) continue;
      const { changes, last } = grant;
      await this.#save(
        answer === 'keepAsking'
          ? { ...grant, declined: form }
          : { ...this.#grantOf(tool), changes, last, isAny: answer === 'approveAny' },
      );
    }
    this.#options.onChange();
  }

  #lookAt(tool: Tool): void {
    const { name } = tool;
    const form = this.#formOf(tool);
    const isStart = !this.#seen.has(name);
    this.#seen.add(name);
    const known = this.#baseline(name);
    if (known === undefined || this.#written.has(name)) return this.#keepInTheBackground(tool, this.#grantOf(tool));
    const grant = isStart ? startedWith(known, form) : known;
    if (grant !== known) {
      this.#put(grant);
      this.#saveInTheBackground(grant);
    }
    if (isTrusted(grant, form, this.#now?.fingerprint)) {
      this.#changed.delete(name);
      // Another program under the same name, with the same definition.
      if (grant.fingerprint !== this.#now?.fingerprint) this.#keepInTheBackground(tool, this.#grantOf(tool));
    } else if (this.#changed.get(name) !== form && this.#checking.get(name) !== form) void this.#lookAgain(tool, grant);
  }

  /** Another window may have approved it. */
  async #lookAgain(tool: Tool, { id }: ToolGrant): Promise<void> {
    const form = this.#formOf(tool);
    this.#checking.set(tool.name, form);
    try {
      const kept = await this.#options.trust.find(id);
      if (kept?.kind === 'tool' && isTrusted(kept, form, this.#now?.fingerprint)) this.#put(kept);
    } catch (error) {
      this.#warn(tool.name, error);
    }
    // The server may have declared another definition, which has its own lookup.
    if (this.#checking.get(tool.name) !== form) return;
    this.#checking.delete(tool.name);
    this.#changed.set(tool.name, form);
    this.#options.onChange();
  }

  #keepInTheBackground(tool: Tool, grant: ToolGrant): void {
    const { name } = tool;
    if (this.#saving.get(name) === grant.id + grant.form) return;
    this.#saving.set(name, grant.id + grant.form);
    this.#save(grant).then(
      () => {
        this.#written.delete(name);
        this.#saving.delete(name);
        this.#options.onChange();
      },
      // Retried with another definition or in another session, but not with each change of the server.
      (error: unknown) => this.#warn(name, error),
    );
  }

  #saveInTheBackground(grant: ToolGrant): void {
    this.#options.trust.save(grant).catch((error: unknown) => this.#warn(grant.target, error));
  }

  /** Takes effect once it is durable. */
  async #save(grant: ToolGrant): Promise<void> {
    await this.#options.trust.save(grant);
    this.#put(grant);
    const old = (this.#grants.get(grant.target) ?? []).slice(MAX_PROGRAMS);
    if (old.length === 0) return;
    this.#grants.set(grant.target, (this.#grants.get(grant.target) ?? []).slice(0, MAX_PROGRAMS));
    await this.#options.trust.revoke(old.map(({ id }) => id));
  }

  /** Newest first. */
  #put(grant: ToolGrant): void {
    const others = (this.#grants.get(grant.target) ?? []).filter(({ id }) => id !== grant.id);
    this.#grants.set(grant.target, [grant, ...others]);
  }

  #baseline(name: string): ToolGrant | undefined {
    const { fingerprint, allowedWithProgram = [] } = this.#now ?? {};
    return baselineOf(this.#grants.get(name) ?? [], fingerprint, allowedWithProgram.includes(name));
  }

  #grantOf(tool: Tool): ToolGrant {
    const { server, clock, ids } = this.#options;
    const fingerprint = this.#now?.fingerprint ?? '';
    const form = this.#formOf(tool);
    const definition = this.#textOf(tool);
    return {
      id: ids.sha256(`tool ${JSON.stringify([server, fingerprint, tool.name])}`).slice(0, 32),
      direction: 'toServer',
      kind: 'tool',
      server,
      target: tool.name,
      form,
      fingerprint,
      definition: definition.length > MAX_KEPT ? undefined : definition,
      last: form,
      changes: 0,
      isAny: false,
      declined: undefined,
      at: clock.now(),
    };
  }

  #textOf(tool: Tool): string {
    return this.#options.redact(definitionText(tool));
  }

  #formOf(tool: Tool): string {
    const known = this.#forms.get(tool);
    if (known !== undefined) return known;
    const form = this.#options.ids.sha256(trustedText(tool));
    this.#forms.set(tool, form);
    return form;
  }

  #warn(name: string, error: unknown): void {
    this.#options.log.log('warn', `The approved definition of "${name}" could not be kept: ${messageOf(error)}`);
  }
}
