import { KeyedQueue } from '../base/async.ts';
import { type CancellationToken, unlessCancelled } from '../base/cancellation.ts';
import { cancelled, HostError } from '../base/errors.ts';
import type { ServerDefinition } from '../model/server.ts';
import type { PushPolicy } from '../model/mcpl.ts';
import { withFeatureSets, withInfer } from '../policy/mcplGrants.ts';
import { decideStart, grantsOf, remarksOn } from '../policy/startConsent.ts';
import { stateRemarks } from '../policy/stateRemarks.ts';
import type {
  Clock,
  Consent,
  ConsentPrompt,
  ConsentStore,
  Ids,
  StartGrants,
  StateStore,
  VariableSource,
} from '../ports.ts';
import { fingerprint } from '../session/fingerprint.ts';
import {
  describeConnection,
  type ExpandedConnection,
  expandConnection,
  inOpenFolders,
  readEnvFile,
} from '../session/variables.ts';

import { SETTINGS_CONSENT } from './ownSettings.ts';

export interface StartGateOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly consents: ConsentStore;
  readonly states: Pick<StateStore, 'lineages'>;
  readonly prompt: ConsentPrompt;
  readonly variables: VariableSource;
}

/** A server that may start: its connection, and the consent that its grants rest on (none for the user's own). */
export interface AdmittedStart {
  readonly expanded: ExpandedConnection;
  readonly consent: Consent | undefined;
  /** Of the connection, as it is defined. */
  readonly fingerprint: string;
}

/** Lets a server start, or not: nothing that a workspace or an extension defines runs before a person has seen and allowed it. */
export class StartGate {
  readonly #options: StartGateOptions;
  readonly #queue = new KeyedQueue();
  /** Apart from the questions: what a person just chose must not wait until another question was answered. */
  readonly #choices = new KeyedQueue();

  constructor(options: StartGateOptions) {
    this.#options = options;
  }

  async admit(definition: ServerDefinition, token: CancellationToken, asking: () => void): Promise<AdmittedStart> {
    // One reading of the file for both: what is asked about is what then runs.
    const variables = readingOnce(this.#options.variables);
    const consent = await this.#consent(definition, variables, token, asking);
    const expanded = await expandConnection(definition, variables, token, asking);
    return { expanded, consent, fingerprint: await this.#fingerprint(definition, variables) };
  }

  /** Asks whether what the workspace now grants beyond the last consent is wanted. */
  async widen(definition: ServerDefinition, token: CancellationToken): Promise<Consent | undefined> {
    return this.#consent(definition, readingOnce(this.#options.variables), token, () => undefined);
  }

  /** Records that the person wrote this entry in one of our own views, which is as good as an answer. */
  async allow(definition: ServerDefinition): Promise<Consent> {
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

  async #consent(
    definition: ServerDefinition,
    variables: VariableSource,
    token: CancellationToken,
    asking: () => void,
  ): Promise<Consent | undefined> {
    // What nobody could have to allow needs no look into the store, which need not even be open then.
    if (decideStart(definition, undefined, false).kind === 'allow') return undefined;
    const digest = await this.#fingerprint(definition, variables);
    return this.#queue.run(definition.id, async () => {
      const { consents, prompt } = this.#options;
      const consent = await consents.find(definition.id, digest);
      const hasOlder = (await consents.list()).some(
        (candidate) => candidate.server === definition.id && candidate.fingerprint !== SETTINGS_CONSENT,
      );
      const decision = decideStart(definition, consent, hasOlder);
      if (decision.kind === 'allow') return consent;
      const kept = decision.reason === 'widened' ? [] : await this.#options.states.lineages();
      // Whoever waited behind another question may have been stopped meanwhile.
      if (token.isCancellationRequested) throw cancelled('The start');
      asking();
      const asked = prompt.ask(
        {
          server: definition.id,
          reason: decision.reason,
          target: describeConnection(definition.connection, variables),
          cwd: definition.connection.kind === 'stdio' ? definition.connection.cwd : undefined,
          remarks: [...remarksOn(definition), ...stateRemarks(kept, definition.id)],
          ...(definition.definedBy === 'extension' ? { contributor: definition.contributor } : {}),
        },
        token,
      );
      // A prompt that does not heed the token must not keep the next question waiting.
      const answer = await unlessCancelled(asked, token, 'The question');
      if (answer === 'start') return this.#save(definition, digest, grantsOf(definition));
      throw notApproved(definition.id);
    });
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
    const connection = inOpenFolders(definition.connection, variables);
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

function notApproved(server: string): HostError {
  return new HostError('NOT_APPROVED', `The server "${server}" was not allowed to start.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Start it again and choose Start.',
  });
}
