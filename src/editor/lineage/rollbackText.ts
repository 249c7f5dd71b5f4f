import {
  assertNever,
  type Checkpoint,
  type RollbackPlan,
  type RollbackResult,
  type StateKeeper,
} from '../../core/index.ts';
import { countText, lineageText, makerText, titleText, wholeTimeText } from './lineageText.ts';
import { plainLine, plainText } from '../shared/plainText.ts';

/** Maximum tools named in the dialog. */
const MAX_TOOLS = 6;

export type RollbackChoice = 'rollBack' | 'continue';

/** The prompt before a rollback. */
export interface RollbackQuestion {
  readonly message: string;
  readonly detail: string;
  readonly choices: readonly RollbackChoice[];
}

export interface RollbackFacts {
  readonly keeper: StateKeeper;
  readonly now: number;
}

export const CHOICE_TITLES: Readonly<Record<RollbackChoice, string>> = {
  rollBack: 'Roll Back',
  continue: 'Continue from Here',
};

export function rollbackQuestion(plan: RollbackPlan, facts: RollbackFacts): RollbackQuestion {
  const who = lineageText(plan);
  const to = titleText(plan.target);
  const why = hindranceOf(plan);
  if (why === undefined)
    return {
      message: `Roll ${who} back to ${to}?`,
      detail: paragraphs(
        targetText(plan, facts),
        leavesText(plan),
        list('What is undone:', undone(plan, facts)),
        list('What is not undone:', notUndone(plan)),
        'The server may refuse. Then nothing moves.',
      ),
      choices: ['rollBack'],
    };
  const next = plan.canContinue ? continueText(plan, facts) : 'It is not possible to continue from it either.';
  return {
    message: `The server cannot be asked to go back to ${to}.`,
    detail: paragraphs(why, targetText(plan, facts), plan.canContinue ? leavesText(plan) : '', next),
    choices: plan.canContinue ? ['continue'] : [],
  };
}

export function continueQuestion(plan: RollbackPlan, facts: RollbackFacts): RollbackQuestion {
  const to = titleText(plan.target);
  return plan.canContinue
    ? {
        message: `Continue ${lineageText(plan)} from ${to}?`,
        detail: paragraphs(targetText(plan, facts), leavesText(plan), continueText(plan, facts)),
        choices: ['continue'],
      }
    : {
        message: `It is not possible to continue from ${to}.`,
        detail: paragraphs(
          ...(facts.keeper === 'server'
            ? ['The server itself keeps the state: only the server can go back to it.', 'Roll back to it instead.']
            : [
                plan.target.problem === undefined ? 'No state is known at it.' : plainText(plan.target.problem, 300),
                'Choose a checkpoint that has a state.',
              ]),
        ),
        choices: [],
      };
}

/** Why the server is not asked. `undefined` if it is. */
function hindranceOf({ target, hindrance }: RollbackPlan): string | undefined {
  if (hindrance !== undefined) return plainText(hindrance, 400);
  return target.isPruned ? 'The server said that it no longer has this checkpoint.' : undefined;
}

function targetText({ target, head }: RollbackPlan, { now }: RollbackFacts): string {
  const made = `It was made by ${makerText(target)}, ${wholeTimeText(target.at, now)}.`;
  return head?.place === target.place ? `It is the current checkpoint. ${made}` : made;
}

function leavesText({ left, leftCount, tools, isBack, head, target }: RollbackPlan): string {
  if (leftCount === 0)
    return isBack || head === undefined || head.place === target.place
      ? ''
      : 'It is on another branch, and nothing is left behind.';
  const what = `${isBack ? '' : 'It is on another branch. '}${countText(leftCount, 'checkpoint is', 'checkpoints are')} left behind`;
  const named = toolsText(tools);
  const part = leftCount > left.length ? `, the newest ${left.length} of them made by` : ', made by';
  const stay = leftCount === 1 ? 'It stays' : 'They stay';
  return `${what}${named === '' ? '' : `${part} ${named}`}. ${stay} as a branch, and you can go back to it.`;
}

function toolsText(tools: RollbackPlan['tools']): string {
  const named = tools
    .slice(0, MAX_TOOLS)
    .map(({ tool, count }) => `${plainLine(tool, 64)}${count === 1 ? '' : ` (${count} times)`}`);
  const rest = tools.length - named.length;
  return [...named, ...(rest > 0 ? [countText(rest, 'other tool')] : [])].join(', ');
}

function undone({ target, leftCount }: RollbackPlan, { keeper }: RollbackFacts): readonly string[] {
  const to = titleText(target);
  return [
    `What the server itself can undo: it is asked to go back to ${to}.`,
    ...(keeper === 'host' ? [`The state that MCP Live keeps: the next call is sent with that of ${to}.`] : []),
    ...(leftCount === 0 ? [] : ['Chats at a checkpoint that is left behind go back too.']),
  ];
}

function notUndone({ tools }: RollbackPlan): readonly string[] {
  const out = tools.filter(({ reachesOut }) => reachesOut).slice(0, MAX_TOOLS);
  return [
    'Effects outside this state: written files, sent messages, and anything else that tools did.',
    ...(out.length === 0
      ? []
      : [
          `According to their server, these tools may have had such effects: ${out.map(({ tool }) => plainLine(tool, 64)).join(', ')}.`,
        ]),
  ];
}

function continueText({ target }: RollbackPlan, { keeper }: RollbackFacts): string {
  const to = titleText(target);
  const next =
    keeper === 'host' ? `the next call is sent with the state of ${to}` : `the next call names ${to} to the server`;
  return `Continue from Here does not ask the server: ${next}. It does not undo anything that was done.`;
}

export type OutcomeOffer = 'continue' | 'showLineage' | 'showLog';

export const OFFER_TITLES: Readonly<Record<OutcomeOffer, string>> = {
  continue: 'Continue from Here',
  showLineage: 'Show Lineage',
  showLog: 'Show Log',
};

interface RollbackOutcome {
  readonly text: string;
  readonly isGood: boolean;
  readonly offers: readonly OutcomeOffer[];
}

/** The outcome with the next step. Server text is quoted. */
export function rollbackOutcome(plan: RollbackPlan, result: RollbackResult): RollbackOutcome {
  const who = lineageText(plan);
  const to = titleText(plan.target);
  switch (result.kind) {
    case 'rolledBack':
      return {
        text: `${who} is back at ${titleText(result.head)}. The next checkpoint starts a new branch.`,
        isGood: true,
        offers: ['showLineage'],
      };
    case 'elsewhere':
      return {
        text: `${who} went back, and says that it is now at ${titleText(result.head)} instead of ${to}. It continues from there.`,
        isGood: true,
        offers: ['showLineage'],
      };
    case 'refused':
      return failed(
        `${who} could not go back to ${to}${quotedReason(result.reason)} Nothing moved.${nextText(result)}`,
        result,
      );
    case 'pruned':
      return failed(`${who} no longer has ${to}, and cannot go back to it. Nothing moved.${nextText(result)}`, result);
    case 'unanswered':
      return failed(
        `It is unknown whether ${who} went back to ${to}${quotedReason(result.reason)} Nothing moved here. ` +
          `Look into its log, then roll back again.${nextText(result)}`,
        result,
      );
    default:
      return assertNever(result);
  }
}

function failed(text: string, { canContinue }: { readonly canContinue: boolean }): RollbackOutcome {
  return { text, isGood: false, offers: [...(canContinue ? (['continue'] as const) : []), 'showLog'] };
}

function quotedReason(reason: string): string {
  const text = plainLine(reason, 300);
  return text === '' ? '.' : `: "${text}"${/[.!?…]$/.test(text) ? '' : '.'}`;
}

function nextText({ canContinue }: { readonly canContinue: boolean }): string {
  return canContinue ? ' You can continue from it, which undoes nothing that was done.' : '';
}

export function continuedText(plan: Pick<RollbackPlan, 'server' | 'featureSet'>, target: Checkpoint): string {
  return `${lineageText(plan)} goes on from ${titleText(target)}. Nothing is undone.`;
}

function list(title: string, items: readonly string[]): string {
  return [title, ...items.map((item) => `• ${item}`)].join('\n');
}

function paragraphs(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n');
}
