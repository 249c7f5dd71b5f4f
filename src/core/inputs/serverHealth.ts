import type { Clock } from '../base/clock.ts';
import { type Disposable, toDisposable } from '../base/disposable.ts';
import { isHostError } from '../base/errors.ts';
import type { ServerHealth } from '../model/server.ts';
import type { Session, SessionFeature } from '../session/session.ts';

/** How often all servers are checked, together. */
const LOOK_MS = 10_000;
const SILENCE_MS = 30_000;
const PING_MS = 10_000;
const MAX_MISSES = 3;
/** The interval afterwards. Any message of the server shows that it is back, so few pings are enough. */
const RETRY_MS = 60_000;
const MINUTE = 60_000;

/** One timer for all servers of a host. It does not run while no server is watched. */
export class HealthTimer {
  readonly #clock: Clock;
  readonly #looks = new Set<() => void>();
  #timer: Disposable | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(look: () => void): Disposable {
    this.#looks.add(look);
    this.#arm();
    return toDisposable(() => {
      this.#looks.delete(look);
      if (this.#looks.size > 0) return;
      this.#timer?.dispose();
      this.#timer = undefined;
    });
  }

  #arm(): void {
    this.#timer ??= this.#clock.delay(LOOK_MS, () => {
      this.#timer = undefined;
      for (const look of [...this.#looks]) look();
      if (this.#looks.size > 0) this.#arm();
    });
  }
}

export interface HealthOptions {
  readonly clock: Clock;
  readonly timer: HealthTimer;
  /** Whether the settings ask for pings. */
  isWanted(): boolean;
  onChange(): void;
}

/** Pings a silent server, and reports when it does not answer. */
export class HealthFeature implements SessionFeature {
  readonly #options: HealthOptions;
  #session: Session | undefined;
  #watch: HealthWatch | undefined;
  #looking: Disposable | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Absent while the server responds. */
  get health(): ServerHealth | undefined {
    return this.#watch?.health;
  }

  started(session: Session): Disposable {
    this.#session = isPingable(session) ? session : undefined;
    this.update();
    return toDisposable(() => {
      if (this.#session !== session) return;
      this.#session = undefined;
      this.#stop();
    });
  }

  /** The settings may have changed. */
  update(): void {
    const isWanted = this.#session !== undefined && this.#options.isWanted();
    if (!isWanted) this.#stop();
    else if (this.#session !== undefined && this.#watch === undefined) {
      const watch = new HealthWatch(this.#session, this.#options);
      this.#watch = watch;
      this.#looking = this.#options.timer.add(() => watch.look());
    }
  }

  #stop(): void {
    this.#looking?.dispose();
    this.#watch?.end();
    this.#watch = undefined;
  }
}

/** Over HTTP each request has its own connection. In the short dialect servers do not answer pings. */
function isPingable({ transport, handshake, codec }: Session): boolean {
  const kind = transport.details?.kind ?? 'stdio';
  return (kind === 'stdio' || kind === 'websocket') && !handshake.isDialect && !codec.lacks('ping', 'toServer');
}

/** Watches one connection from its handshake to its end. */
class HealthWatch {
  readonly #session: Session;
  readonly #options: HealthOptions;
  /** Number of received messages at the last sign of life. */
  #received: number;
  #aliveAt: number;
  #pingedAt = -Infinity;
  #misses = 0;
  #isPinging = false;
  #isOver = false;
  #health: ServerHealth | undefined;

  constructor(session: Session, options: HealthOptions) {
    this.#session = session;
    this.#options = options;
    this.#received = session.activity.received;
    this.#aliveAt = options.clock.now();
  }

  get health(): ServerHealth | undefined {
    return this.#health;
  }

  look(): void {
    const now = this.#options.clock.now();
    // The clock was set back: measure the silence from here.
    if (now < this.#aliveAt) this.#aliveAt = now;
    if (now < this.#pingedAt) this.#pingedAt = now;
    const { received, isAsked } = this.#session.activity;
    // A server that waits for the host's answer may do nothing else meanwhile.
    if (received !== this.#received || isAsked) {
      this.#alive();
      return;
    }
    if (this.#misses >= MAX_MISSES) this.#tell(now);
    const wait = this.#misses >= MAX_MISSES ? RETRY_MS : 0;
    if (now - this.#aliveAt >= SILENCE_MS && now - this.#pingedAt >= wait) this.#ping(now);
  }

  end(): void {
    this.#isOver = true;
  }

  #ping(now: number): void {
    if (this.#isPinging) return;
    this.#isPinging = true;
    this.#pingedAt = now;
    this.#session.request('ping', {}, { timeoutMs: PING_MS, maxTimeoutMs: PING_MS }).then(
      () => this.#answered(),
      (error: unknown) => {
        // Any answer is enough, even an error: some servers do not implement ping.
        if (isHostError(error, 'TIMEOUT')) this.#missed();
        else this.#answered();
      },
    );
  }

  #answered(): void {
    this.#isPinging = false;
    if (!this.#isOver) this.#alive();
  }

  #missed(): void {
    this.#isPinging = false;
    if (this.#isOver) return;
    this.#misses++;
    this.look();
  }

  #alive(): void {
    this.#received = this.#session.activity.received;
    this.#aliveAt = this.#options.clock.now();
    this.#misses = 0;
    this.#set(undefined);
  }

  #tell(now: number): void {
    const { callingSince } = this.#session.activity;
    if (callingSince === undefined) this.#set({ kind: 'notResponding' });
    else this.#set({ kind: 'busy', minutes: Math.max(1, Math.floor((now - callingSince) / MINUTE)) });
  }

  #set(health: ServerHealth | undefined): void {
    const before = this.#health;
    if (before?.kind === health?.kind && minutesOf(before) === minutesOf(health)) return;
    this.#health = health;
    this.#options.onChange();
  }
}

function minutesOf(health: ServerHealth | undefined): number | undefined {
  return health?.kind === 'busy' ? health.minutes : undefined;
}
