import * as vscode from 'vscode';
import type { Disposable as Registration, Events, Lineages, McpLiveApi1 } from '../../../media/mcp-live.d.ts';
import {
  asyncLazy,
  type Clock,
  type Contributor,
  type Host,
  HostError,
  isObject,
  type Logger,
  messageOf,
} from '../../core/index.ts';
import { ContributedLayers } from '../settings/contributedLayers.ts';
import type { ExtensionApi } from './extensionApi.ts';
import { ModelRunners } from '../models/modelRunners.ts';

interface ApiDoorOptions {
  readonly clock: Clock;
  readonly log: Logger;
  host(): Host;
}

/**
 * The API for other extensions. Its implementation is loaded on first use. It returns copies only, and gives no access
 * to approvals, grants or feature sets.
 */
export class ApiDoor implements vscode.Disposable {
  readonly contributed = new ContributedLayers();
  readonly runners = new ModelRunners();
  readonly #options: ApiDoorOptions;
  readonly #loading = asyncLazy(
    () => import('./extensionApi.ts'),
    ({ openExtensionApi }) => {
      const { clock, log } = this.#options;
      return openExtensionApi({ clock, log, host: this.#options.host(), layers: this.contributed });
    },
  );
  #api: McpLiveApi1 | undefined;

  constructor(options: ApiDoorOptions) {
    this.#options = options;
  }

  readonly getApi = (version: number): McpLiveApi1 => {
    if (version !== 1)
      throw new HostError('INVALID_ARGUMENTS', `MCP Live has no API of version ${String(version)}: it has version 1.`, {
        layer: 'host',
        effect: 'none',
        suggestion: 'Update MCP Live, or the extension that asks.',
      });
    this.#api ??= this.#open();
    return this.#api;
  };

  dispose(): void {
    this.contributed.dispose();
    this.runners.dispose();
  }

  #open(): McpLiveApi1 {
    const load = (): Promise<ExtensionApi> => this.#loading.get();
    const later = (begin: (api: ExtensionApi) => Registration): Registration => this.#later(begin);
    return Object.freeze<McpLiveApi1>({
      version: 1,
      registerServers: (provider) => {
        const by = contributorOf(provider, 'provideServers');
        return later((api) => api.registerServers(provider, by));
      },
      servers: async () => (await load()).servers(),
      onDidChangeServers: (listener) => later((api) => api.onDidChangeServers(listener)),
      callTool: async (server, tool, args, token) => (await load()).callTool(server, tool, args, token),
      events: Object.freeze<Events>({
        list: async () => (await load()).events(),
        onDidReceiveEvent: (listener) => {
          const since = this.#options.clock.now();
          return later((api) => api.onDidReceiveEvent(listener, since));
        },
      }),
      lineages: Object.freeze<Lineages>({
        list: async () => (await load()).lineages(),
        checkpoints: async (server, featureSet, from) => (await load()).checkpoints(server, featureSet, from),
        onDidChangeLineages: (listener) => later((api) => api.onDidChangeLineages(listener)),
      }),
      registerModelRunner: (id, runner) => this.runners.add(id, runner, contributorOf(runner, 'run')),
    });
  }

  #later(begin: (api: ExtensionApi) => Registration): Registration {
    let begun: Registration | undefined;
    let isOver = false;
    this.#loading
      .get()
      .then((api) => {
        if (!isOver) begun = begin(api);
      })
      .catch((error: unknown) =>
        this.#options.log.log('error', `An extension could not be served: ${messageOf(error)}`),
      );
    return {
      dispose: () => {
        isOver = true;
        begun?.dispose();
      },
    };
  }
}

/** The calling extension. Extensions in one host cannot be distinguished, so each passes its id, which must exist. */
function contributorOf(given: unknown, method: string): Contributor {
  const id = isObject(given) ? given['extensionId'] : undefined;
  const extension = typeof id === 'string' ? vscode.extensions.getExtension(id) : undefined;
  if (!isObject(given) || extension === undefined || typeof given[method] !== 'function')
    throw new HostError('INVALID_ARGUMENTS', `Give the "extensionId" of your extension and a function "${method}".`, {
      layer: 'host',
      effect: 'none',
    });
  const manifest: unknown = extension.packageJSON;
  const name = isObject(manifest) ? manifest['displayName'] : undefined;
  return { id: extension.id, name: typeof name === 'string' && name.trim() !== '' ? name.slice(0, 200) : extension.id };
}
