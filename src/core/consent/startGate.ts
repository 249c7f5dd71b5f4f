import { KeyedQueue } from '../base/async.ts';
import { type CancellationToken, unlessCancelled } from '../base/cancellation.ts';
import { cancelled, HostError } from '../base/errors.ts';
import type { ConnectionDefinition, ServerDefinition } from '../model/server.ts';
import type { PushPolicy } from '../model/mcpl.ts';
import { withFeatureSets, withInfer } from './mcplGrants.ts';
import type { WorkspaceUse } from '../model/workspaceUse.ts';
import { decideStart, grantsOf } from './startConsent.ts';
import type {
  Clock,
  Consent,
  ConsentPrompt,
  ConsentStore,
  FileNames,
  Ids,
  StartGrants,
  StateStore,
  VariableSource,
} from '../ports.ts';
import { fingerprint, sameConnection } from '../session/fingerprint.ts';
import { type ExpandedConnection, expandConnection, inOpenFolders, readEnvFile } from '../session/variables.ts';
import { SETTINGS_CONSENT } from './ownSettings.ts';

interface StartGateOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly consents: ConsentStore;
  readonly states: Pick<StateStore, 'lineages'>;
  readonly prompt: ConsentPrompt;
  readonly variables: VariableSource;
  readonly fileNames: FileNames;
}

/** A server that may start: its connection, and the consent behind its rights (none for user servers). */
export interface AdmittedStart {
  readonly expanded: ExpandedConnection;
  readonly consent: Consent | undefined;
  /** Fingerprint of the connection definition. */
  readonly fingerprint: string;
}

/** A start that the user requested in a view. */
interface Choice {
  readonly connection: ConnectionDefinition;
  readonly folders: string;
}

/**
 * Decides whether a server starts. Servers of a workspace or extension, and ones that run workspace files, need the
 * user's consent.
 */
export class StartGate {
  readonly #options: StartGateOptions;
  readonly #queue = new KeyedQueue();
  /** Separate from the questions, so that a choice in a view does not wait for another prompt. */
  readonly #choices = new KeyedQueue();
  readonly #chosen = new Map<string, Choice>();

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  async admit(definition: ServerDefinition, token: CancellationToken, asking: () => void): Promise<AdmittedStart> {
    // Reads the file once, so that the prompt matches what runs.
    const variables = readingOnce(this.#options.variables);
    const draft = await this.#draft(definition, variables, token);
    const consent = await this.#consent(definition, variables, draft?.uses ?? [], token, asking);
    const expanded = await expandConnection(definition, variables, token, asking);
    // Answers to inputs may lead into the workspace too.
    if (draft !== undefined && canonicalText(draft.expanded) !== canonicalText(expanded)) {
      const uses = await this.#uses(definition, expanded, variables, token);
      if (!sameUses(uses, draft.uses)) await this.#consent(definition, variables, uses, token, asking);
    }
    this.#chosen.delete(definition.id);
    return { expanded, consent, fingerprint: await this.#fingerprint(definition, variables) };
  }

  /** The user requested the next start in a view. This also answers whether workspace files may be part of it. */
  choose(definition: ServerDefinition | undefined): void {
    if (definition === undefined) return;
    this.#chosen.set(definition.id, { connection: definition.connection, folders: this.#folders });
  }

  /** Asks whether rights beyond the last consent are wanted. */
  async widen(definition: ServerDefinition, token: CancellationToken): Promise<Consent | undefined> {
    return this.#consent(definition, readingOnce(this.#options.variables), [], token, () => undefined);
  }

  /** Records consent, because the user wrote this entry in a view. */
  async allow(definition: ServerDefinition): Promise<Consent> {
    this.choose(definition);
    const digest = await this.#fingerprint(definition, readingOnce(this.#options.variables));
    return this.#queue.run(definition.id, () => this.#save(definition, digest, grantsOf(definition)));
  }

  /**
   * Updates the consent after the user changed in a view which tools are called without a prompt. Does not replace the
   * start consent: a workspace server without it stays unapproved.
   */
  async amend(
    definition: ServerDefinition,
    tools: readonly string[],
    autoApproved: boolean,
  ): Promise<Consent | undefined> {
    return this.#amend(definition, autoApproved, ({ autoApprove, others }) => {
      const kept = autoApprove.filter((tool) => !tools.includes(tool));
      return { autoApprove: (autoApproved ? [...kept, ...tools] : kept).sort(), others };
    });
  }

  /** The same for feature sets that the user switched. Called before settings change. */
  async amendFeatureSets(
    definition: ServerDefinition,
    names: readonly string[],
    enabled: boolean,
  ): Promise<Consent | undefined> {
    return this.#amend(definition, enabled, ({ autoApprove, others = [] }) => ({
      autoApprove,
      others: withFeatureSets(others, names, enabled),
    }));
  }

  /** The same for the push policy of a set. */
  async amendPush(definition: ServerDefinition, featureSet: string, policy: PushPolicy): Promise<Consent | undefined> {
    const infers = policy === 'infer';
    return this.#amend(definition, infers, ({ autoApprove, others = [] }) => ({
      autoApprove,
      others: withInfer(others, featureSet, infers),
    }));
  }

  async forget(server: string): Promise<void> {
    await this.#options.consents.forget(server);
  }

  /** The planned start before any input is asked for, with the workspace files it would use. */
  async #draft(
    definition: ServerDefinition,
    variables: VariableSource,
    token: CancellationToken,
  ): Promise<{ readonly expanded: ExpandedConnection; readonly uses: readonly WorkspaceUse[] } | undefined> {
    // The prompt about a workspace server covers its files.
    if (definition.definedBy === 'workspace' || definition.connection.kind === 'remote') return undefined;
    if (variables.folders.length === 0) return undefined;
    const expanded = await expandConnection(definition, withoutInputs(variables), token, () => undefined);
    return { expanded, uses: await this.#uses(definition, expanded, variables, token) };
  }

  async #uses(
    definition: ServerDefinition,
    expanded: ExpandedConnection,
    variables: VariableSource,
    token: CancellationToken,
  ): Promise<readonly WorkspaceUse[]> {
    const { usesOf } = await import('./startInquiry.ts');
    return usesOf(definition, expanded, variables, this.#options.fileNames, token);
  }

  async #consent(
    definition: ServerDefinition,
    variables: VariableSource,
    uses: readonly WorkspaceUse[],
    token: CancellationToken,
    asking: () => void,
  ): Promise<Consent | undefined> {
    const needsConsent = decideStart(definition, undefined, false).kind === 'ask';
    // A start without a possible prompt needs no access to the store.
    if (!needsConsent && uses.length === 0) return undefined;
    const digest = await this.#fingerprint(definition, variables);
    const filesDigest = this.#filesDigest(digest, uses);
    return this.#queue.run(definition.id, async () => {
      const { consents, prompt } = this.#options;
      const consent = needsConsent ? await consents.find(definition.id, digest) : undefined;
      const hasOlder = (await consents.list()).some((other) => other.server === definition.id && isOfStart(other));
      const decision = decideStart(definition, consent, hasOlder);
      const allowsFiles = filesDigest === undefined || (await this.#allowsFiles(definition, filesDigest));
      if (decision.kind === 'allow' && allowsFiles) return consent;
      const reason = decision.kind === 'ask' ? decision.reason : 'workspaceFiles';
      const kept = reason === 'first' || reason === 'changed' ? await this.#options.states.lineages() : [];
      const { startQuestion } = await import('./startInquiry.ts');
      const question = await startQuestion(definition, reason, variables, uses, kept);
      // The start may have been cancelled while it waited for another prompt.
      if (token.isCancellationRequested) throw cancelled('The start');
      asking();
      // A prompt that ignores the token must not block the next one.
      const answer = await unlessCancelled(prompt.ask(question, token), token, 'The question');
      if (answer !== 'start') throw notApproved(definition.id);
      if (filesDigest !== undefined) await this.#save(definition, filesDigest, FILES_ONLY);
      return decision.kind === 'ask' ? this.#save(definition, digest, grantsOf(definition)) : consent;
    });
  }

  async #allowsFiles(definition: ServerDefinition, filesDigest: string): Promise<boolean> {
    if ((await this.#options.consents.find(definition.id, filesDigest)) !== undefined) return true;
    const chosen = this.#chosen.get(definition.id);
    this.#chosen.delete(definition.id);
    if (chosen === undefined || chosen.folders !== this.#folders) return false;
    if (!sameConnection(chosen.connection, definition.connection)) return false;
    await this.#save(definition, filesDigest, FILES_ONLY);
    return true;
  }

  /** Digest of a consent to run workspace files: for this definition and these files. */
  #filesDigest(digest: string, uses: readonly WorkspaceUse[]): string | undefined {
    if (uses.length === 0) return undefined;
    const asked = uses
      .filter(({ isImplied }) => isImplied !== true)
      .map(({ what, name, text }) => [what, name ?? null, text]);
    return this.#options.ids.sha256(JSON.stringify(['workspaceFiles', digest, this.#folders, asked]));
  }

  get #folders(): string {
    return JSON.stringify(this.#options.variables.folders.map(({ path }) => path).sort());
  }

  async #amend(
    definition: ServerDefinition,
    widens: boolean,
    change: (grants: StartGrants) => StartGrants,
  ): Promise<Consent | undefined> {
    const digest = await this.#fingerprint(definition, readingOnce(this.#options.variables));
    return this.#choices.run(definition.id, async () => {
      const before = await this.#options.consents.find(definition.id, digest);
      if (before === undefined && (definition.definedBy !== 'user' || !widens)) return undefined;
      return this.#save(definition, digest, change(before?.grants ?? { autoApprove: [] }));
    });
  }

  async #save(definition: ServerDefinition, digest: string, grants: StartGrants): Promise<Consent> {
    const { consents, clock } = this.#options;
    const consent: Consent = { server: definition.id, fingerprint: digest, grants, at: clock.now() };
    await consents.save(consent);
    return consent;
  }

  async #fingerprint(definition: ServerDefinition, variables: VariableSource): Promise<string> {
    const envFile = await readEnvFile(definition.connection, variables);
    const connection = inOpenFolders(definition, variables);
    return fingerprint(connection, envFile, (text) => this.#options.ids.sha256(text));
  }
}

function readingOnce(source: VariableSource): VariableSource {
  const texts = new Map<string, Promise<string>>();
  return {
    folders: source.folders,
    userHome: source.userHome,
    env: (name) => source.env(name),
    input: (id, token, definedBy) => source.input(id, token, definedBy),
    readFile: (path) => {
      const text = texts.get(path) ?? source.readFile(path);
      texts.set(path, text);
      return text;
    },
  };
}

/** Keeps inputs as written, without a prompt. */
function withoutInputs(source: VariableSource): VariableSource {
  return {
    folders: source.folders,
    userHome: source.userHome,
    env: (name) => source.env(name),
    input: (id) => Promise.resolve({ kind: 'value', value: `\${input:${id}}`, secret: false }),
    readFile: (path) => source.readFile(path),
  };
}

/** Marks a consent to run workspace files, which grants nothing else. */
const FILES_ONLY = { autoApprove: [], others: ['workspaceFiles'] } satisfies StartGrants;

/** Excludes consents about workspace files and weakened settings. */
function isOfStart({ fingerprint: digest, grants }: Consent): boolean {
  return digest !== SETTINGS_CONSENT && grants.others?.join() !== FILES_ONLY.others.join();
}

function canonicalText({ connection }: ExpandedConnection): string {
  return JSON.stringify(connection);
}

function sameUses(a: readonly WorkspaceUse[], b: readonly WorkspaceUse[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function notApproved(server: string): HostError {
  return new HostError('NOT_APPROVED', `The server "${server}" was not allowed to start.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Start it again and choose Start.',
  });
}
