import * as vscode from 'vscode';
import { type Host, type Logger, messageOf } from '../../core/index.ts';
import { keptIn } from './chatHistory.ts';
import { eventTitle } from '../shared/eventText.ts';
import { plainText } from '../shared/plainText.ts';

const MOST_CHECKPOINTS = 2;

/** What a person may want to say next, by what became of the turn. */
export function followups(
  { events }: Pick<Host, 'events'>,
  result: vscode.ChatResult,
  log: Logger,
): readonly vscode.ChatFollowup[] {
  try {
    const { isUnfinished, checkpoints } = keptIn(result.metadata);
    const names = Array.isArray(checkpoints) ? checkpoints.filter((name) => typeof name === 'string') : [];
    const goOn = vscode.l10n.t('Continue');
    const unread = events.list().find(({ isRead }) => !isRead);
    return [
      ...(isUnfinished === true ? [{ prompt: goOn, label: goOn }] : []),
      ...names.slice(0, MOST_CHECKPOINTS).map((name) => ({
        prompt: name,
        command: 'rollback',
        label: vscode.l10n.t('Roll back to {0}', plainText(name, 60)),
      })),
      ...(unread === undefined
        ? []
        : [
            {
              prompt: unread.id,
              command: 'events',
              label: vscode.l10n.t('Look at "{0}"', plainText(eventTitle(unread), 60)),
            },
          ]),
    ];
  } catch (error) {
    log.log('warn', `Nothing can be proposed after an answer: ${messageOf(error)}`);
    return [];
  }
}
