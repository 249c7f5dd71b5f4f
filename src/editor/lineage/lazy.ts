import * as vscode from 'vscode';
import { type Disposable, DisposableStore, messageOf, type StateTrouble } from '../../core/index.ts';
import { COMMANDS } from '../shared/ids.ts';
import { notify } from '../shared/notify.ts';
import { act, type LineageActions, lineageActions } from './lineageCommands.ts';
import type { LineageContext } from './lineageContext.ts';
import type { LineageController } from './lineageController.ts';
import { type LineageToast, LineageToasts } from './lineageToasts.ts';
import { LineageViews } from './lineageViews.ts';
import { StateDocuments } from './stateDocuments.ts';

/** Everything that shows or changes lineages, loaded when it is first needed. */
export interface LineageUi extends Disposable {
  readonly actions: LineageActions;
  readonly controllers: readonly LineageController[];
  resolve(view: vscode.WebviewView): void;
  restore(panel: vscode.WebviewPanel, state: unknown): void;
  stateText(uri: vscode.Uri): Promise<string>;
  broke(trouble: StateTrouble): void;
}

export function openLineageUi(context: LineageContext): LineageUi {
  const store = new DisposableStore();
  const documents = store.add(new StateDocuments(context.host));
  const views = store.add(
    new LineageViews(context, {
      act: (action, rowId) => act(actions, context, documents, action, rowId),
      compare: (rowIds) => documents.compare(...rowIds),
      unblock: async (key) => void (await actions.continueFromLastGood(key)),
      export: async (key) => void (await actions.export(key)),
      import: async (key) => void (await actions.import(key)),
    }),
  );
  const actions = lineageActions(context, documents, views);
  const show = async (toast: LineageToast): Promise<void> => {
    try {
      await showToast(context, toast);
    } catch (error) {
      context.log.log('error', `A notification about a lineage could not be shown: ${messageOf(error)}`);
    }
  };
  const toasts = store.add(new LineageToasts({ clock: context.clock, show }));
  return {
    actions,
    get controllers() {
      return views.controllers;
    },
    resolve: (view) => views.resolve(view),
    restore: (panel, state) => views.restore(panel, state),
    stateText: (uri) => documents.text(uri),
    broke: (trouble) => toasts.broke(trouble),
    dispose: () => store.dispose(),
  };
}

async function showToast({ logs }: LineageContext, { text, key, rowId }: LineageToast): Promise<void> {
  const run =
    (command: string, row = {}): (() => unknown) =>
    () =>
      vscode.commands.executeCommand(command, { ...key, ...row });
  const goOn = { title: vscode.l10n.t('Continue from Last Good'), run: run(COMMANDS.lineageContinue) };
  const buttons = [
    {
      title: vscode.l10n.t('Show Lineage'),
      run: run(COMMANDS.lineageShow, rowId === undefined ? {} : { place: rowId }),
    },
    ...(rowId === undefined ? [] : [goOn]),
    { title: vscode.l10n.t('Show Log'), run: () => logs.showServer(key.server) },
  ];
  await notify({ severity: 'warning', text, buttons });
}
