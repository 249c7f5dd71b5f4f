import { HostError } from '../core/index.ts';
import type { Gateway, GatewayOptions } from './gatewayServer.ts';

/** The gateway, opened when somebody first asks where it is. */
export class LazyGateway {
  readonly #options: GatewayOptions;
  #starting: Promise<Gateway> | undefined;
  #isClosed = false;

  constructor(options: GatewayOptions) {
    this.#options = options;
  }

  async address(server: string): Promise<{ readonly url: string; readonly headers: Record<string, string> }> {
    if (this.#isClosed) throw new HostError('CONNECTION_CLOSED', 'The gateway is closed.', { layer: 'host' });
    this.#starting ??= open(this.#options).catch((error: unknown) => {
      // The next one who asks tries again.
      this.#starting = undefined;
      throw error;
    });
    return (await this.#starting).address(server);
  }

  async dispose(): Promise<void> {
    this.#isClosed = true;
    const gateway = await this.#starting?.catch(() => undefined);
    await gateway?.dispose();
  }
}

/** A bundle of its own, loaded with the first server that runs. */
async function open(options: GatewayOptions): Promise<Gateway> {
  const { startGateway } = await import('./gatewayServer.ts');
  return startGateway(options);
}
