import * as vscode from 'vscode';
import {
  type Clock,
  type Disposable,
  DisposableStore,
  type Host,
  type HostError,
  isCancellation,
  isHostError,
  type Logger,
  messageOf,
  type ServerChange,
  Throttle,
  toHostError,
} from '../../core/index.ts';
import { COMMANDS, SERVERS_VIEW } from './ids.ts';
import { notify, type NotificationButton } from './notify.ts';
import { plainText } from './plainText.ts';
import type { FailureNotices, FailureOptions } from './services.ts';

/** Maximum failures at once before they are merged. */
const MAX_AT_ONCE = 2;
const MOMENT_MS = 500;

/** Reports failures as notifications: the problem, its server, and the next step. */
export class NotifiedFailures implements FailureNotices, Disposable {
  readonly #host: Host;
  readonly #log: Logger;
  readonly #owned = new DisposableStore();
  /** The last reported failure of each server. */
  readonly #reported = new Map<string, HostError>();
  readonly #fresh = new Set<string>();
  readonly #reporting: Throttle;

  constructor(host: Host, clock: Clock, log: Logger) {
    this.#host = host;
    this.#log = log;
    this.#reporting = this.#owned.add(new Throttle(clock, MOMENT_MS, () => this.#reportFresh()));
    this.#owned.add(host.onDidChangeServer((change) => this.#watch(change)));
  }

  show(what: string, error: unknown, options: FailureOptions = {}): void {
    // The user cancelled or declined.
    if (isCancellation(error) || isHostError(error, 'NOT_APPROVED')) return;
    // A failed start is reported through the server's state.
    if (this.#host.servers().some(({ state }) => state.kind === 'failed' && state.error === error)) return;
    const failure = toHostError(error);
    this.#report(`${what}: ${failure.message}`, failure, options);
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #watch({ server, what }: ServerChange): void {
    const state = this.#host.server(server)?.state;
    if (state?.kind !== 'failed') {
      this.#reported.delete(server);
      return;
    }
    if (what !== 'state' || this.#reported.get(server) === state.error) return;
    this.#reported.set(server, state.error);
    if (isHostError(state.error, 'NOT_APPROVED', 'CANCELLED')) return;
    this.#fresh.add(server);
    this.#reporting.request();
  }

  #reportFresh(): void {
    const failed = [...this.#fresh].filter((id) => this.#host.server(id)?.state.kind === 'failed');
    this.#fresh.clear();
    if (failed.length > MAX_AT_ONCE) {
      const names = failed.map((id) => plainText(id, 64)).join(', ');
      const text = vscode.l10n.t('{0} servers failed: {1}.', failed.length, names);
      const showServers = (): unknown => vscode.commands.executeCommand(`${SERVERS_VIEW}.focus`);
      this.#notify(text, [{ title: vscode.l10n.t('Show Servers'), run: showServers }]);
      return;
    }
    for (const server of failed) {
      const error = this.#reported.get(server);
      const retry = (): unknown => vscode.commands.executeCommand(COMMANDS.serverStart, { server });
      if (error !== undefined) this.#report(failedText(plainText(server, 64), error.message), error, { server, retry });
    }
  }

  #report(problem: string, failure: HostError, { server, retry }: FailureOptions): void {
    this.#log.log('error', problem);
    const text = [sentence(plainText(problem))];
    if (failure.suggestion !== undefined) text.push(plainText(failure.suggestion));
    this.#notify(text.join(' '), choices(failure, server, retry));
  }

  #notify(text: string, buttons: readonly NotificationButton[]): void {
    notify({ severity: 'error', text, buttons }).catch((error: unknown) =>
      this.#log.log('error', `A notification could not be shown, or its button failed: ${messageOf(error)}`),
    );
  }
}

/** Names the server once: `The server "x" stopped during startup (exit code 3): …`. */
function failedText(name: string, message: string): string {
  const subject = vscode.l10n.t('The server "{0}"', name);
  const [own] = /^The server (?=[a-z])/.exec(message) ?? [];
  return own === undefined
    ? vscode.l10n.t('{0} failed: {1}', subject, message)
    : `${subject} ${message.slice(own.length)}`;
}

function choices(
  error: HostError,
  server: string | undefined,
  retry: (() => unknown) | undefined,
): readonly NotificationButton[] {
  const run =
    (command: string): (() => unknown) =>
    () =>
      vscode.commands.executeCommand(command, ...(server === undefined ? [] : [{ server }]));
  if (isHostError(error, 'NOT_TRUSTED'))
    return [{ title: vscode.l10n.t('Manage Workspace Trust'), run: run('workbench.trust.manage') }];
  const settings: NotificationButton = { title: vscode.l10n.t('Open Settings'), run: run(COMMANDS.serverOpenSettings) };
  const policy: NotificationButton = {
    title: vscode.l10n.t('Open Settings'),
    run: () => vscode.commands.executeCommand('workbench.action.openSettings', 'chat.mcp'),
  };
  const log: NotificationButton = {
    title: vscode.l10n.t('Show Log'),
    run: run(server === undefined ? COMMANDS.hostShowLog : COMMANDS.serverShowLog),
  };
  const again: readonly NotificationButton[] =
    retry === undefined ? [] : [{ title: vscode.l10n.t('Retry'), run: retry }];
  if (isHostError(error, 'NOT_ALLOWED')) return [policy];
  return server === undefined ? [...again, log] : [...again, log, settings];
}

function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
