import * as vscode from 'vscode';
import { messageOf } from '../../core/index.ts';
import { isOfUse } from './modelBudgetText.ts';
import { modelUseText } from './modelUseText.ts';
import type { EditorServices } from '../shared/services.ts';

const DAY = 86_400_000;

type Needs = Pick<EditorServices, 'host' | 'log'>;

/** Model use as text. */
export async function modelUsePage({ host, log }: Needs, isAllowed: boolean): Promise<string> {
  const { modelUses } = host;
  try {
    const now = Date.now();
    const [day, week, all] = await Promise.all([now - DAY, now - 7 * DAY, 0].map((since) => modelUses.totals(since)));
    return modelUseText({
      isAllowed,
      budgets: host
        .servers()
        .flatMap(({ id }) => modelUses.budget(id) ?? [])
        .filter(isOfUse),
      used: [
        { title: 'Within a day', totals: day ?? [] },
        { title: 'Within seven days', totals: week ?? [] },
        { title: 'Everything in the audit log', totals: all ?? [] },
      ],
    });
  } catch (error) {
    log.log('error', `The use of language models cannot be read: ${messageOf(error)}`);
    return `${vscode.l10n.t('The use of language models cannot be read: {0}', messageOf(error))}\n`;
  }
}
