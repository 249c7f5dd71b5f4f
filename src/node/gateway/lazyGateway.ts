import { type AsyncLazy, asyncLazy, HostError } from '../../core/index.ts';
import type { GatewayTransport } from './listenAddress.ts';
import type { Gateway, GatewayAddress, GatewayOptions } from './gatewayServer.ts';

/** The gateway. Opened when its address is first needed, and reopened after a change of transport. */
export class LazyGateway {
  readonly #options: Omit<GatewayOptions, 'transport'>;
  #transport: GatewayTransport | 'off' = 'loopback';
  #gateway: AsyncLazy<Gateway> | undefined;
  /** Old gateways that are still closing. */
  #leaving: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(options: Omit<GatewayOptions, 'transport'>) {
    this.#options = options;
  }

  /** Changes the transport and disconnects clients of the old one. */
  use(transport: GatewayTransport | 'off'): void {
    if (transport === this.#transport) return;
    this.#transport = transport;
    this.#leave();
  }

  async address(server: string): Promise<GatewayAddress> {
    const transport = this.#transport;
    if (this.#isClosed) throw new HostError('CONNECTION_CLOSED', 'The gateway is closed.', { layer: 'host' });
    if (transport === 'off')
      throw new HostError('CONNECTION_CLOSED', 'The gateway is off.', {
        layer: 'settings',
        effect: 'none',
        suggestion: 'Set "mcpl.gateway.transport" to "loopback" or "socket".',
      });
    this.#gateway ??= asyncLazy(
      () => open({ ...this.#options, transport }),
      (gateway) => gateway,
    );
    return (await this.#gateway.get()).address(server);
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    this.#leave();
    await this.#leaving;
  }

  #leave(): void {
    const old = this.#gateway;
    this.#gateway = undefined;
    if (old?.isStarted !== true) return;
    const closed = old.get().then(
      (gateway) => gateway.dispose(),
      () => undefined,
    );
    this.#leaving = Promise.all([this.#leaving, closed]);
  }
}

/** A separate bundle, loaded with the first running server. */
async function open(options: GatewayOptions): Promise<Gateway> {
  const { startGateway } = await import('./gatewayServer.ts');
  return startGateway(options);
}
