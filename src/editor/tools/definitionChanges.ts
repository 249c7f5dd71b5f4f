import * as vscode from 'vscode';
import { type Clock, type Disposable, DisposableStore } from '../../core/index.ts';
import { registerCommand } from '../shared/commandRegistry.ts';
import type { DefinitionReview } from './definitionReview.ts';
import { COMMANDS } from '../shared/ids.ts';
import { targetOf } from '../shared/quickPicker.ts';
import type { EditorServices } from '../shared/services.ts';

type Needs = Pick<EditorServices, 'host' | 'failures' | 'pick'>;

/** Watches for tools whose definition is no longer the approved one; the rest is loaded with the first of them. */
export function registerDefinitionChanges(services: Needs, clock: Clock): Disposable {
  const store = new DisposableStore();
  const { host, failures, pick } = services;
  let loading: Promise<DefinitionReview> | undefined;
  const load = (): Promise<DefinitionReview> =>
    (loading ??= import('../pages.ts').then(({ DefinitionReview }) =>
      store.add(new DefinitionReview({ host, failures, clock })),
    ));
  const failed = vscode.l10n.t('The changed definitions were not shown');
  const isChanged = (server: string, name?: string): boolean =>
    host.server(server)?.tools.some(({ tool, change }) => change !== undefined && (name ?? tool.name) === tool.name) ===
    true;
  store.add(
    host.onDidChangeServer(({ server }) => {
      if (!isChanged(server)) return;
      load().then(
        (review) => review.look(),
        (error: unknown) => failures.show(failed, error, { server }),
      );
    }),
  );
  store.add(
    registerCommand(services, COMMANDS.toolReview, { failed }, async (argument) => {
      const review = await load();
      if (targetOf(argument)?.server === undefined && !host.servers().some(({ id }) => isChanged(id)))
        return review.review(undefined);
      const question = vscode.l10n.t('Which changed definition do you want to review?');
      const target = await pick.tool(argument, question, isChanged);
      if (target !== undefined) await review.review(target);
    }),
  );
  return store;
}
