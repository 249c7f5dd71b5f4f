import * as vscode from 'vscode';
import {
  type Clock,
  type DefinitionAnswer,
  type Disposable,
  DisposableStore,
  type Host,
  Throttle,
  type ToolChange,
} from '../../core/index.ts';
import { SCHEMES } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { EditorServices, ToolTarget } from '../shared/services.ts';
import { notify } from '../shared/notify.ts';

/** A tool whose definition differs from the approved one. */
interface ChangedTool extends ToolTarget {
  readonly change: ToolChange;
}

interface DefinitionReviewOptions extends Pick<EditorServices, 'failures'> {
  readonly host: Pick<Host, 'servers' | 'answerDefinitions'>;
  readonly clock: Clock;
}

/** Merges changes, because a server usually changes several tools at once. */
const BURST_MS = 500;
/** Maximum tools in one review. */
const MAX_SHOWN = 50;

/** Shows changed definitions and asks about them. Loaded with the first one. */
export class DefinitionReview implements vscode.TextDocumentContentProvider, Disposable {
  readonly #options: DefinitionReviewOptions;
  readonly #owned = new DisposableStore();
  readonly #texts = new Map<string, string>();
  /** Definitions named in a notification. */
  readonly #notified = new Set<string>();
  readonly #notifying: Throttle;
  #shown = 0;

  constructor(options: DefinitionReviewOptions) {
    this.#options = options;
    this.#notifying = this.#owned.add(new Throttle(options.clock, BURST_MS, () => this.#notifyFresh()));
    this.#owned.add(vscode.workspace.registerTextDocumentContentProvider(SCHEMES.definition, this));
    const forget = (document: vscode.TextDocument): unknown => this.#texts.delete(document.uri.toString());
    this.#owned.add(vscode.workspace.onDidCloseTextDocument(forget));
  }

  /** Call this after a change of the server. */
  look(): void {
    if (this.#unanswered().length > 0) this.#notifying.request();
  }

  /** Shows the changes of one tool or all, and asks. */
  async review(target: ToolTarget | undefined): Promise<void> {
    const all = changedTools(this.#options.host);
    const chosen =
      target === undefined ? all : all.filter(({ server, tool }) => server === target.server && tool === target.tool);
    if (chosen.length === 0) {
      const text = vscode.l10n.t('No tool definition has changed since you approved it.');
      void notify({ severity: 'info', text });
      return;
    }
    await this.#review(chosen);
  }

  provideTextDocumentContent(uri: vscode.Uri): string | undefined {
    return this.#texts.get(uri.toString());
  }

  dispose(): void {
    this.#owned.dispose();
  }

  #unanswered(): readonly ChangedTool[] {
    return changedTools(this.#options.host).filter(
      (each) => !each.change.isDeclined && !this.#notified.has(keyOf(each)),
    );
  }

  #notifyFresh(): void {
    const fresh = this.#unanswered();
    for (const each of fresh) this.#notified.add(keyOf(each));
    if (fresh.length > 0) this.#try(() => this.#notify(fresh));
  }

  async #notify(changed: readonly ChangedTool[]): Promise<void> {
    const buttons = [
      { title: vscode.l10n.t('Review Changes'), run: () => this.#review(changed) },
      { title: vscode.l10n.t('Keep Asking'), run: () => this.#answer(changed, 'keepAsking') },
    ];
    await notify({ severity: 'warning', text: reviewTitle(changed), buttons });
  }

  async #review(changed: readonly ChangedTool[]): Promise<void> {
    const shown = changed.slice(0, MAX_SHOWN);
    await this.#show(shown);
    const frequent = shown.filter(({ change }) => change.isFrequent);
    const any = { title: vscode.l10n.t('Approve Any Definition…'), run: () => this.#approveAny(frequent) };
    const buttons = [
      { title: vscode.l10n.t('Approve'), run: () => this.#answer(shown, 'approve') },
      ...(frequent.length > 0 ? [any] : []),
      { title: vscode.l10n.t('Keep Asking'), run: () => this.#answer(shown, 'keepAsking') },
    ];
    await notify({ severity: 'warning', text: reviewQuestion(shown), buttons });
  }

  async #approveAny(changed: readonly ChangedTool[]): Promise<void> {
    const { message, detail } = frequentText(changed);
    const approve = (): unknown => this.#answer(changed, 'approveAny');
    const buttons = [{ title: vscode.l10n.t('Approve Any Definition'), run: approve }];
    await notify({ severity: 'warning', text: message, modalDetail: detail, buttons });
  }

  async #answer(changed: readonly ChangedTool[], answer: DefinitionAnswer): Promise<void> {
    const servers = new Set(changed.map(({ server }) => server));
    for (const server of servers) {
      const ofServer = changed.filter((each) => each.server === server);
      const seen = ofServer.map(({ tool, change: { form } }) => ({ tool, form }));
      await this.#options.host.answerDefinitions(server, seen, answer);
    }
    // Definitions that changed again during the prompt are asked about separately.
    this.look();
  }

  async #show(changed: readonly ChangedTool[]): Promise<void> {
    const [first, ...others] = changed.map((each) => this.#documents(each));
    if (first === undefined) return;
    if (others.length === 0) {
      await vscode.commands.executeCommand('vscode.diff', first.before, first.now, first.title, { preview: true });
      return;
    }
    const resources = [first, ...others].map(({ before, now }) => [now, before, now]);
    await vscode.commands.executeCommand('vscode.changes', vscode.l10n.t('Changed Tool Definitions'), resources);
  }

  #documents({ server, tool, change }: ChangedTool): {
    readonly title: string;
    readonly before: vscode.Uri;
    readonly now: vscode.Uri;
  } {
    const [ofServer, ofTool] = [server, tool].map((name) => plainText(name, 64).replace(/[^\w.-]+/g, '-'));
    // With different paths the editor would show a rename.
    const path = `/${ofServer}/${ofTool}.json`;
    const open = (text: string): vscode.Uri => {
      const uri = vscode.Uri.from({ scheme: SCHEMES.definition, path, query: String(++this.#shown) });
      this.#texts.set(uri.toString(), text);
      return uri;
    };
    const before = open(change.before ?? vscode.l10n.t('The approved definition was too long to keep.\n'));
    const title = vscode.l10n.t('{0} of {1}: Approved ↔ Now', plainText(tool, 60), plainText(server, 40));
    return { title, before, now: open(change.now) };
  }

  #try(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      this.#options.failures.show(vscode.l10n.t('The answer about changed tools was not taken'), error);
    });
  }
}

function changedTools(host: Pick<Host, 'servers'>): readonly ChangedTool[] {
  return host
    .servers()
    .flatMap(({ id, tools }) =>
      tools.flatMap(({ tool, change }) => (change === undefined ? [] : [{ server: id, tool: tool.name, change }])),
    );
}

function keyOf({ server, tool, change }: ChangedTool): string {
  return JSON.stringify([server, tool, change.form]);
}

const MAX_NAMED_COUNT = 3;

/** Short, because tool names come from the server. */
function reviewTitle(changed: readonly ToolTarget[]): string {
  const isOne = changed.length === 1;
  const what = isOne
    ? `changed the definition of ${named(changed)}`
    : `changed the definitions of ${changed.length} tools (${named(changed)})`;
  const until = isOne ? 'the change' : 'the changes';
  return `${serversOf(changed)} ${what}. You are asked before each call until you approve ${until}.`;
}

function reviewQuestion(changed: readonly ToolTarget[]): string {
  const what = changed.length === 1 ? 'the definition shown' : `the ${changed.length} definitions shown`;
  return `Approve ${what}? Models then call ${named(changed)} of ${serversOf(changed)} without asking.`;
}

function frequentText(changed: readonly ToolTarget[]): { readonly message: string; readonly detail: string } {
  const message = `Approve any definition of ${named(changed)} of ${serversOf(changed)}?`;
  const detail =
    'The definition changed at each of the last three starts. If you approve any definition, models call the tool ' +
    'without asking after each further change. The server can then change what the tool does, take other arguments, ' +
    'or put instructions for models into the description.';
  return { message, detail };
}

function named(changed: readonly ToolTarget[]): string {
  const names = [...new Set(changed.map(({ tool }) => `"${plainText(tool, 64)}"`))];
  const more = names.length - MAX_NAMED_COUNT;
  return [...names.slice(0, MAX_NAMED_COUNT), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function serversOf(changed: readonly ToolTarget[]): string {
  const names = [...new Set(changed.map(({ server }) => `"${plainText(server, 64)}"`))];
  return names.length > MAX_NAMED_COUNT ? `${names.length} servers` : names.join(', ');
}
