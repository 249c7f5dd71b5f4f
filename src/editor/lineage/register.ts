import * as vscode from 'vscode';
import { type AsyncLazy, asyncLazy, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerActions, whenLoaded } from '../shared/lazyPart.ts';
import { COMMANDS, LINEAGE_PANEL, LINEAGE_VIEW, ROLL_BACK_IN_CHAT, SCHEMES } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import type { ModalAsker, LineageServices } from './lineageContext.ts';
import type { LineageUi } from './lazy.ts';

export interface LineageView extends Disposable {
  /** Answers modal prompts in place of the user. `undefined` restores the user. */
  answerWith(asker: ModalAsker | undefined): void;
  ui(): Promise<LineageUi>;
}

/** Registers the Lineage view, its tabs, state documents and checkpoint commands. */
export function registerLineage(services: LineageServices): LineageView {
  const store = new DisposableStore();
  let asker: ModalAsker | undefined;
  let asking = false;
  /** Ignores a second prompt, for example after a double-click. */
  const ask: ModalAsker = async (question) => {
    if (asking) return undefined;
    asking = true;
    try {
      return await (asker ?? askUser)(question);
    } finally {
      asking = false;
    }
  };
  const ui = asyncLazy(
    () => import('./lazy.ts'),
    ({ openLineageUi }) => store.add(openLineageUi({ ...services, ask })),
  );
  const unseen = vscode.l10n.t('The lineage cannot be shown');
  const unmoved = vscode.l10n.t('Nothing moved');
  const unmarked = vscode.l10n.t('The checkpoint was not changed');
  store.add(
    registerActions(services, ui, [
      [COMMANDS.lineageShow, 'show', unseen],
      [COMMANDS.lineageOpen, 'open', unseen],
      [COMMANDS.rollBack, 'rollBack', vscode.l10n.t('Nothing was rolled back')],
      [COMMANDS.checkpointContinue, 'continue', unmoved],
      [COMMANDS.lineageContinue, 'continueFromLastGood', unmoved],
      [COMMANDS.stateOpen, 'openState', vscode.l10n.t('The state cannot be shown')],
      [COMMANDS.statesCompare, 'compare', vscode.l10n.t('The states cannot be compared')],
      [COMMANDS.checkpointName, 'name', unmarked],
      [COMMANDS.checkpointPin, 'pin', unmarked],
      [COMMANDS.checkpointUnpin, 'unpin', unmarked],
      [COMMANDS.checkpointCopyId, 'copyId', vscode.l10n.t('The id was not copied')],
      [COMMANDS.lineageExport, 'export', vscode.l10n.t('The lineage was not exported')],
      [COMMANDS.lineageImport, 'import', vscode.l10n.t('The lineage was not imported')],
      [COMMANDS.lineageForget, 'forget', vscode.l10n.t('The lineage was not forgotten')],
    ]),
  );
  store.add(
    vscode.commands.registerCommand(ROLL_BACK_IN_CHAT, async (place: unknown) =>
      (await ui.get()).actions.rollBack({ place }),
    ),
  );
  registerPages(store, ui);
  store.add(
    services.host.lineages.onDidBreak((trouble) =>
      whenLoaded(ui, services.log, 'A broken state could not be reported', (loaded) => loaded.broke(trouble)),
    ),
  );
  return {
    answerWith: (other) => {
      asker = other;
    },
    ui: () => ui.get(),
    dispose: () => store.dispose(),
  };
}

function registerPages(store: DisposableStore, ui: AsyncLazy<LineageUi>): void {
  store.add(
    vscode.window.registerWebviewViewProvider(LINEAGE_VIEW, {
      resolveWebviewView: async (view) => (await ui.get()).resolve(view),
    }),
  );
  store.add(
    vscode.window.registerWebviewPanelSerializer(LINEAGE_PANEL, {
      deserializeWebviewPanel: async (panel, state: unknown) => (await ui.get()).restore(panel, state),
    }),
  );
  store.add(
    vscode.workspace.registerTextDocumentContentProvider(SCHEMES.state, {
      provideTextDocumentContent: async (uri) => (await ui.get()).stateText(uri),
    }),
  );
}

const askUser: ModalAsker = async ({ message, detail, titles, refusal }) => {
  // The first button is the default. A close-affordance button never is.
  const buttons = [...(refusal === undefined ? [] : [refusal]), ...titles].map((title) => ({ title }));
  return (await notify({ severity: 'warning', text: message, modalDetail: detail, buttons }))?.title;
};
