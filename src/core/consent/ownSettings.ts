import { ignoreFailure } from '../base/async.ts';
import { CancellationSource, unlessCancelled } from '../base/cancellation.ts';
import type { Disposable } from '../base/disposable.ts';
import { isHostError, messageOf } from '../base/errors.ts';
import type { ServerIdentity } from '../model/serverPolicy.ts';
import {
  type ConnectionDefinition,
  DEFAULT_LIMITS,
  type HostLimits,
  type HostSettings,
  limitsOf,
  type ServerDefinition,
} from '../model/server.ts';
import { type EntryKey, type Weakening, weakeningLine, type WindowKey } from '../model/settingRules.ts';
import { refusedBy } from './editorPolicy.ts';
import { withOwnLimits } from './windowLimits.ts';
import type { Connection, Ports } from '../ports.ts';
import { sameConnection } from '../session/fingerprint.ts';
import { type DecodedSettings, decodeSettings } from '../session/serverSettings.ts';
import type { SettingsEntry } from '../session/settingsEntry.ts';
import { notAllowed } from './startRefusal.ts';

/** Key for window settings. No server can have this id. */
const WINDOW = '*';
/** Fingerprint of consents about settings rather than a connection. */
export const SETTINGS_CONSENT = 'settings';
const KEPT = 'keep ';
/** How long the settings file may take to reflect a click. */
const CLICK_MS = 10_000;

type Key = EntryKey | WindowKey;

interface Answers {
  readonly agreed: ReadonlySet<string>;
  readonly kept: ReadonlySet<string>;
}

interface Started {
  readonly connection: ConnectionDefinition;
  readonly identity: ServerIdentity;
}

const NO_ANSWERS: Answers = { agreed: new Set(), kept: new Set() };

interface OwnSettingsOptions {
  readonly ports: Pick<Ports, 'clock' | 'logs' | 'storage' | 'consent'>;
  /** Applies the same settings again after an answer became known. */
  configure(settings: HostSettings): void;
}

/**
 * Keeps user settings in effect where workspace settings would weaken them, and asks the user. Answers are stored
 * outside the workspace and cover one pair of values.
 */
export class OwnSettings implements Disposable {
  readonly #options: OwnSettingsOptions;
  readonly #answers = new Map<string, Answers>();
  readonly #questions = new Map<string, { readonly text: string; readonly source: CancellationSource }>();
  readonly #dismissed = new Set<string>();
  readonly #clicks: { readonly server: string; readonly keys: readonly Key[]; readonly until: number }[] = [];
  #settings: HostSettings | undefined;
  /** The connections with which servers were started, with expanded variables. */
  readonly #started = new Map<string, Started>();
  #limits: HostLimits = DEFAULT_LIMITS;
  #loading: Promise<void> | undefined;
  #isLoaded = false;
  #isClosed = false;

  constructor(options: OwnSettingsOptions) {
    this.#options = options;
  }

  readonly limits = (): HostLimits => this.#limits;

  /** The effective settings. Entries that wait for stored answers are not started. */
  decode(settings: HostSettings, isOn: (server: string) => boolean): DecodedSettings {
    this.#settings = settings;
    const { layers, limits, ownLimits, trusted } = settings;
    const decoded = decodeSettings(layers, (id) => this.#agreedTo(id));
    const window = withOwnLimits(ownLimits && limitsOf(ownLimits), limitsOf(limits), this.#agreedTo(WINDOW));
    const open = new Map<string, readonly Weakening[]>([
      ...decoded.entries.map(({ id, weakenings = [] }) => [id, weakenings] as const),
      [WINDOW, window.open] as const,
    ]);
    const isAny = [...open.values()].some((weakenings) => weakenings.length > 0);
    if (isAny && !this.#isLoaded) ignoreFailure(this.#load());
    else if (trusted) for (const [server, weakenings] of open) this.#ask(server, weakenings);
    for (const server of this.#questions.keys()) if (!open.has(server) || !trusted) this.#cancel(server);
    for (const id of this.#started.keys()) if (!open.has(id)) this.#started.delete(id);
    const entries = this.#isLoaded ? decoded.entries : decoded.entries.map((entry) => held(entry, isOn(entry.id)));
    this.#limits = window.limits;
    return { ...decoded, entries: entries.map((entry) => this.#policed(entry)) };
  }

  /** The policy decision for the expanded connection. */
  checkAllowed({ id, connection }: ServerDefinition, expanded: Connection): void {
    const identity = identityOf(id, expanded);
    this.#started.set(id, { connection, identity });
    const rule = this.#refusal(identity);
    if (rule !== undefined) throw notAllowed(id, rule);
  }

  /** Allows the next change of these settings, because the user made it in a view. */
  allowChange(server: string, keys: readonly Key[]): void {
    this.#clicks.push({ server, keys, until: this.#options.ports.clock.now() + CLICK_MS });
  }

  /** Forgets the answers about a server. */
  forget(server: string): void {
    this.#answers.delete(server);
    this.#cancel(server);
    this.#again();
  }

  dispose(): void {
    this.#isClosed = true;
    for (const server of [...this.#questions.keys()]) this.#cancel(server);
  }

  #agreedTo(server: string): (line: string, key: Key) => boolean {
    return (line, key) => {
      if (this.#answersOf(server).agreed.has(line)) return true;
      if (!this.#takeClick(server, key)) return false;
      this.#keep(server, [line], true);
      return true;
    };
  }

  #takeClick(server: string, key: Key): boolean {
    const now = this.#options.ports.clock.now();
    const at = this.#clicks.findIndex(
      (click) => click.server === server && click.keys.includes(key) && click.until >= now,
    );
    if (at < 0) return false;
    this.#clicks.splice(at, 1);
    return true;
  }

  #answersOf(server: string): Answers {
    return this.#answers.get(server) ?? NO_ANSWERS;
  }

  #policed(entry: SettingsEntry): SettingsEntry {
    const { id, definition, problems } = entry;
    const started = this.#started.get(id);
    const same =
      started !== undefined && definition !== undefined && sameConnection(started.connection, definition.connection);
    const rule =
      this.#refusal(definition === undefined ? { name: id } : identityOf(id, definition.connection)) ??
      (same || definition === undefined ? started && this.#refusal(started.identity) : undefined);
    if (rule === undefined) return entry;
    // The rule comes first, because side bars are narrow.
    const message = `${rule}: not allowed by your organisation.`;
    return {
      ...entry,
      refusal: rule,
      problems: [...problems, { path: [id], scope: 'user', severity: 'warning', message }],
    };
  }

  #refusal(identity: ServerIdentity): string | undefined {
    const policy = this.#settings?.editorPolicy;
    return policy && refusedBy(policy, identity);
  }

  #again(): void {
    if (!this.#isClosed && this.#settings !== undefined) this.#options.configure(this.#settings);
  }

  #load(): Promise<void> {
    const { storage } = this.#options.ports;
    this.#loading ??= storage.consents
      .list()
      .then(
        (all) => {
          for (const { server, fingerprint, grants } of all)
            if (fingerprint === SETTINGS_CONSENT) this.#add(server, answersIn(grants.others));
        },
        (error: unknown) => this.#log(`The answers about settings could not be read: ${messageOf(error)}`),
      )
      .then(() => {
        this.#isLoaded = true;
        this.#again();
      });
    return this.#loading;
  }

  #log(text: string): void {
    this.#options.ports.logs.host.log('error', text);
  }

  #ask(server: string, weakenings: readonly Weakening[]): void {
    const { kept } = this.#answersOf(server);
    const asked = weakenings.filter((weakening) => {
      const line = weakeningLine(weakening);
      return !kept.has(line) && !this.#dismissed.has(JSON.stringify([server, line]));
    });
    const lines = asked.map(weakeningLine);
    const text = lines.join('\n');
    if (this.#questions.get(server)?.text === text) return;
    this.#cancel(server);
    const { consent } = this.#options.ports;
    if (asked.length === 0 || consent.askToWeaken === undefined) return;
    const source = new CancellationSource();
    this.#questions.set(server, { text, source });
    const question = { server: server === WINDOW ? undefined : server, weakenings: asked };
    const answered = unlessCancelled(consent.askToWeaken(question, source.token), source.token, 'The question');
    ignoreFailure(
      answered.then(
        (answer) => {
          this.#questions.delete(server);
          if (answer === 'dismissed') for (const line of lines) this.#dismissed.add(JSON.stringify([server, line]));
          else this.#keep(server, lines, answer === 'allow');
          if (answer === 'allow') this.#again();
        },
        (error: unknown) => {
          if (!isHostError(error, 'CANCELLED')) this.#log(messageOf(error));
        },
      ),
    );
  }

  #cancel(server: string): void {
    this.#questions.get(server)?.source.cancel();
    this.#questions.delete(server);
  }

  #keep(server: string, lines: readonly string[], isAllowed: boolean): void {
    this.#add(
      server,
      isAllowed ? { agreed: new Set(lines), kept: new Set() } : { agreed: new Set(), kept: new Set(lines) },
    );
    // Load the stored record first, because it holds all answers of a server.
    const saved = this.#load().then(() => {
      const { clock, storage } = this.#options.ports;
      const { agreed, kept } = this.#answersOf(server);
      const others = [...agreed, ...[...kept].map((line) => `${KEPT}${line}`)].sort();
      const grants = { autoApprove: [], others };
      return storage.consents.save({ server, fingerprint: SETTINGS_CONSENT, grants, at: clock.now() });
    });
    saved.catch((error: unknown) => this.#log(`An answer about settings could not be kept: ${messageOf(error)}`));
  }

  #add(server: string, more: Answers): void {
    const { agreed, kept } = this.#answersOf(server);
    this.#answers.set(server, {
      agreed: new Set([...agreed, ...more.agreed]),
      kept: new Set([...kept, ...more.kept]),
    });
  }
}

/** Keeps a server stopped until a stored answer about its settings is read. */
function held(entry: SettingsEntry, isOn: boolean): SettingsEntry {
  const { definition, weakenings = [] } = entry;
  if (definition === undefined || weakenings.length === 0 || isOn) return entry;
  return { ...entry, definition: { ...definition, enabled: false } };
}

function answersIn(lines: readonly string[] = []): Answers {
  const kept = lines.filter((line) => line.startsWith(KEPT)).map((line) => line.slice(KEPT.length));
  return { agreed: new Set(lines.filter((line) => !line.startsWith(KEPT))), kept: new Set(kept) };
}

function identityOf(name: string, connection: ConnectionDefinition | Connection): ServerIdentity {
  if (connection.kind === 'remote') return { name, url: connection.url };
  return { name, command: [connection.command, ...connection.args] };
}
