import * as vscode from 'vscode';
import type { CancellationToken, Disposable, Weakening, WeakeningAnswer, WeakeningQuestion } from '../../core/index.ts';
import { plainText } from '../shared/plainText.ts';
import { TextDocuments } from '../shared/textDocuments.ts';
import { notify } from '../shared/notify.ts';

/** The editor truncates longer notifications. */
const LONGEST = 600;

/** Asks whether the workspace may weaken user settings, which apply until the answer. */
export class WeakeningPrompt implements Disposable {
  readonly #openSettings: (server: string | undefined) => Promise<void>;
  readonly #whole = new TextDocuments('mcpl-settings');

  constructor(openSettings: (server: string | undefined) => Promise<void>) {
    this.#openSettings = openSettings;
  }

  async ask(question: WeakeningQuestion, token: CancellationToken): Promise<WeakeningAnswer> {
    const keep = { title: vscode.l10n.t('Keep Mine') };
    const use = { title: vscode.l10n.t("Use the Workspace's") };
    const review = { title: vscode.l10n.t('Review…') };
    const settings = { title: vscode.l10n.t('Open Settings') };
    const whole = questionText(question);
    let text = whole;
    let allow = use;
    if (whole.length > LONGEST) {
      text = shortText(question);
      allow = review;
    }
    for (;;) {
      const ended = vscode.l10n.t('The question has ended, because the settings changed.');
      const chosen = await notify({ severity: 'warning', text, buttons: [keep, allow, settings], token, ended });
      if (token.isCancellationRequested) return 'dismissed';
      if (chosen === keep) return 'keep';
      if (chosen === use) return 'allow';
      if (chosen === settings) await this.#openSettings(question.server);
      else if (chosen === review) {
        await this.#whole.show(question.server ?? 'mcpl', whole);
        // The full text is visible now.
        allow = use;
      } else return 'dismissed';
    }
  }

  dispose(): void {
    this.#whole.dispose();
  }
}

function questionText({ server, weakenings }: WeakeningQuestion): string {
  const items = weakenings.map(itemText).join('; ');
  return `${opening(server)} ${items}. ${vscode.l10n.t('Your own settings stay in effect until you agree.')}`;
}

function shortText({ server, weakenings }: WeakeningQuestion): string {
  const count = vscode.l10n.t('{0} settings, too long to show here.', weakenings.length);
  return `${opening(server)} ${count} ${vscode.l10n.t('Your own settings stay in effect until you agree.')}`;
}

function opening(server: string | undefined): string {
  return server === undefined
    ? vscode.l10n.t('This workspace wants to weaken your settings:')
    : vscode.l10n.t('This workspace wants to weaken your settings of the server "{0}":', plainText(server, 100));
}

function itemText({ key, path, value, instead }: Weakening): string {
  if (key === 'enabled') return vscode.l10n.t('it turns off this guard, which must see every answer');
  const name = path.length === 0 ? key : path.join('.');
  return vscode.l10n.t('{0} is {1} instead of {2}', quoted(name), plainText(value), plainText(instead));
}

/** Quotes a name from a repository, so that it cannot pass for the sentence around it. */
function quoted(name: string): string {
  return plainText(JSON.stringify(name));
}
