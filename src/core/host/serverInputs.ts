import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import type { Redact } from '../base/secrets.ts';
import type { InputPorts, SamplingQuestion } from '../inputPorts.ts';
import type { ServerHealth } from '../model/server.ts';
import type { SessionFeature } from '../session/session.ts';
import { ElicitationFeature } from '../inputs/elicitationRequests.ts';
import { HealthFeature, type HealthOptions, HealthTimer } from '../inputs/serverHealth.ts';
export { HealthTimer };
import { SamplingFeature } from '../inputs/samplingRequests.ts';
import { TaskFeature, TASKS_DECLARATION } from '../calls/tasks.ts';

export interface ServerInputsOptions {
  /** The server's id in the settings. */
  readonly server: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redact: Redact;
  readonly ports: InputPorts;
  /** Facts about the server for its prompts. */
  readonly facts: () => Pick<SamplingQuestion, 'fingerprint' | 'model'>;
  readonly health: Pick<HealthOptions, 'isWanted' | 'onChange'>;
  /** Features that answer without a user or model, such as roots. Tasks may use them as well. */
  readonly others: readonly SessionFeature[];
}

/** Requests of one server during its work, across all its connections. */
export class ServerInputs {
  readonly elicitation: ElicitationFeature;
  readonly tasks: TaskFeature;
  readonly #health: HealthFeature;
  /** Features for a connection of the server, without `others`. */
  readonly features: readonly SessionFeature[];

  constructor({ server, clock, log, redact, ports, facts, health, others }: ServerInputsOptions, timer: HealthTimer) {
    const { elicitor, sampler, schemaChecker: checker } = ports;
    this.elicitation = new ElicitationFeature({ server, clock, log, redact, elicitor, checker });
    const sampling = new SamplingFeature({ server, clock, log, redact, sampler, facts });
    this.tasks = new TaskFeature(() => [this.elicitation, sampling, ...others]);
    const { isWanted, onChange } = health;
    this.#health = new HealthFeature({ clock, timer, isWanted, onChange });
    this.features = [this.elicitation, sampling, this.tasks, TASKS_DECLARATION, this.#health];
  }

  /** The settings may have changed. */
  update(): void {
    this.#health.update();
  }

  get health(): ServerHealth | undefined {
    return this.#health.health;
  }
}
