import * as vscode from 'vscode';
import { type Disposable, DisposableStore } from '../../core/index.ts';
import { SCHEMES } from '../shared/ids.ts';
import { attachResource, openResource } from './offers.ts';
import { sendShownPrompt, showPrompt, usePrompt } from './promptCommands.ts';
import { ResourceFiles } from './resourceFiles.ts';
import type { EditorServices } from '../shared/services.ts';
import { TextDocuments } from '../shared/textDocuments.ts';

type OfferAction = 'open' | 'attach' | 'show' | 'use' | 'send' | 'copy';

/** Everything about resources and prompts, loaded on first use. */
export interface OfferUi extends Disposable {
  readonly files: ResourceFiles;
  readonly actions: { readonly [A in OfferAction]: (argument: unknown) => Promise<void> };
}

export type OfferServices = Pick<EditorServices, 'host' | 'log'>;

export function openOfferUi(
  { host, log }: OfferServices,
  changed: vscode.EventEmitter<vscode.FileChangeEvent[]>,
): OfferUi {
  const store = new DisposableStore();
  const files = store.add(new ResourceFiles(host, log, changed));
  const prompts = store.add(new TextDocuments(SCHEMES.prompt));
  return {
    files,
    actions: {
      open: (argument) => openResource(host, files, argument),
      attach: (argument) => attachResource(host, files, argument),
      show: (argument) => showPrompt(host, prompts, argument),
      use: (argument) => usePrompt(host, argument),
      send: async () => {
        const document = shownPrompt();
        if (document !== undefined) await sendShownPrompt(document);
      },
      copy: async () => {
        const document = shownPrompt();
        if (document === undefined) return;
        await vscode.env.clipboard.writeText(document.getText());
        vscode.window.setStatusBarMessage(vscode.l10n.t('Copied the prompt.'), 2_000);
      },
    },
    dispose: () => store.dispose(),
  };
}

function shownPrompt(): vscode.TextDocument | undefined {
  const document = vscode.window.activeTextEditor?.document;
  return document?.uri.scheme === SCHEMES.prompt ? document : undefined;
}
