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

export interface StartGateOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly consents: ConsentStore;
  readonly states: Pick<StateStore, 'lineages'>;
  readonly prompt: ConsentPrompt;
  readonly variables: VariableSource;
  readonly fileNames: FileNames;
}

/** A server that may start: its connection, and the consent that its grants rest on (none for the user's own). */
export interface AdmittedStart {
  readonly expanded: ExpandedConnection;
  readonly consent: Consent | undefined;
  /** Of the connection, as it is defined. */
  readonly fingerprint: string;
}

/** A start that a person asked for in one of our own views. */
interface Choice {
  readonly connection: ConnectionDefinition;
  readonly folders: string;
}

/** Lets a server start, or not: what a workspace or an extension defines, or has files in, runs only after a person allowed it. */
export class StartGate {
  readonly #options: StartGateOptions;
  readonly #queue = new KeyedQueue();
  /** Apart from the questions: what a person just chose must not wait until another question was answered. */
  readonly #choices = new KeyedQueue();
  readonly #chosen = new Map<string, Choice>();

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  async admit(definition: ServerDefinition, token: CancellationToken, asking: () => void): Promise<AdmittedStart> {
    // One reading of the file for both: what is asked about is what then runs.
    const variables = readingOnce(this.#options.variables);
    const draft = await this.#draft(definition, variables, token);
    const consent = await this.#consent(definition, variables, draft?.uses ?? [], token, asking);
    const expanded = await expandConnection(definition, variables, token, asking);
    // The answers to inputs may lead into the workspace too.
    if (draft !== undefined && canonicalText(draft.expanded) !== canonicalText(expanded)) {
      const uses = await this.#uses(definition, expanded, variables, token);
      if (!sameUses(uses, draft.uses)) await this.#consent(definition, variables, uses, token, asking);
    }
    this.#chosen.delete(definition.id);
    return { expanded, consent, fingerprint: await this.#fingerprint(definition, variables) };
  }

  /** A person asks for the next start in one of our own views, which answers whether files of the workspace may be part of it. */
  choose(definition: ServerDefinition | undefined): void {
    if (definition === undefined) return;
    this.#chosen.set(definition.id, { connection: definition.connection, folders: this.#folders });
  }

  /** Asks whether what the workspace now grants beyond the last consent is wanted. */
  async widen(definition: ServerDefinition, token: CancellationToken): Promise<Consent | undefined> {
    return this.#consent(definition, readingOnce(this.#options.variables), [], token, () => undefined);
  }

  /** Records that the person wrote this entry in one of our own views, which is as good as an answer. */
  async allow(definition: ServerDefinition): Promise<Consent> {
    this.choose(definition);
    const digest = await this.#fingerprint(definition, readingOnce(this.#options.variables));
    return this.#queue.run(definition.id, () => this.#save(definition, digest, grantsOf(definition)));
  }

  /**
   * Takes over what a person chose in one of our own views: a tool more, or a tool less, that is called without asking.
   * It never stands for the consent to start: a server of the workspace that was not allowed in this form stays so.
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

  /** The same for feature sets that a person switched on or off, which is done before the settings say so. */
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

  /** The same for what becomes of the events of a set. */
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

  /** What would start, before any input is asked for, and which files of the workspace would be part of it. */
  async #draft(
    definition: ServerDefinition,
    variables: VariableSource,
    token: CancellationToken,
  ): Promise<{ readonly expanded: ExpandedConnection; readonly uses: readonly WorkspaceUse[] } | undefined> {
    // The question about a server of the workspace covers its files.
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
    // A start without a possible question needs no access to the store.
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
      // Whoever waited behind another question may have been stopped meanwhile.
      if (token.isCancellationRequested) throw cancelled('The start');
      asking();
      // A prompt that does not heed the token must not keep the next question waiting.
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

  /** Of the consent to run files of the workspace: for this definition, and for these files. */
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

/** Inputs as they are written, without a question. */
function withoutInputs(source: VariableSource): VariableSource {
  return {
    folders: source.folders,
    userHome: source.userHome,
    env: (name) => source.env(name),
    input: (id) => Promise.resolve({ kind: 'value', value: `\${input:${id}}`, secret: false }),
    readFile: (path) => source.readFile(path),
  };
}

/** Marks the consent to run files of the workspace, which grants nothing else. */
const FILES_ONLY = { autoApprove: [], others: ['workspaceFiles'] } satisfies StartGrants;

/** Neither to run files of the workspace, nor to weaken the user's own settings. */
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
