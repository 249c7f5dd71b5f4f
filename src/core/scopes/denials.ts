import { HostError } from '../base/errors.ts';
import type { DenialReason } from '../model/approval.ts';

/** Why a request was not approved. */
export type ScopeDenial = 'settings' | 'host' | 'changed' | DenialReason;

interface DenialTexts {
  /** For people and the audit: how the request ended, after "it was". */
  readonly ended: string;
  /** For the model whose tool call was denied: the reason, and what to do next. */
  readonly cause: string;
  readonly next: string;
  /** For the server that asked. It must not learn which pattern denied the request. */
  readonly answer: string;
}

const DENIALS: Readonly<Record<ScopeDenial, DenialTexts>> = {
  settings: {
    ended: 'denied by the settings',
    cause: "the person's settings deny its target",
    next: 'Use another target; asking again changes nothing.',
    answer: 'The settings of the host deny it.',
  },
  host: {
    ended: 'refused',
    cause: 'its target cannot be allowed',
    next: 'Name an ordinary path, then try again.',
    answer: 'It does not name something that can be allowed.',
  },
  changed: {
    ended: 'denied, because something else changed meanwhile',
    cause: 'something changed while it was being decided',
    next: 'Try again.',
    answer: 'Something changed while it was being decided.',
  },
  byPerson: {
    ended: 'denied',
    cause: 'the person denied it',
    next: 'Do not repeat it; ask the person what to do instead.',
    answer: 'The user denied it.',
  },
  timeout: {
    ended: 'denied, because there was no answer in time',
    cause: 'it was not approved in time',
    next: 'Ask the person to look into the Approvals view, then try again.',
    answer: 'It was not approved in time.',
  },
  dismissed: {
    ended: 'denied, because the question was closed',
    cause: 'the person closed the question',
    next: 'Ask the person whether it is wanted, then try again.',
    answer: 'The user closed the question.',
  },
  nobody: {
    ended: 'denied, because there is no user to ask',
    cause: 'it needs an approval, and there is no user to ask',
    next: 'Add what it touches to "scopes" in the settings of the server.',
    answer: 'It needs the approval of a user, and there is no user to ask.',
  },
  flood: {
    ended: 'denied, because there were too many requests',
    cause: 'too many calls wait for an approval',
    next: 'Wait until some are decided, then try again.',
    answer: 'Too many requests wait for an approval.',
  },
  withdrawn: {
    ended: 'withdrawn before it was answered',
    cause: 'it was taken back',
    next: 'Try again.',
    answer: 'It was taken back.',
  },
};

/** How a denied request ended, after "it was". `dismissal`: what happened to a question that was closed. */
export function denialText(why: ScopeDenial, dismissal?: string): string {
  if (why === 'dismissed' && dismissal !== undefined) return `denied, because ${dismissal}`;
  return DENIALS[why].ended;
}

/** The reason that the server gets (MCPL §7.4). */
export function denialAnswer(why: ScopeDenial): string {
  return DENIALS[why].answer;
}

/** The error of a tool call that was denied. */
export function deniedCall(
  tool: string,
  { why, detail }: { readonly why: ScopeDenial; readonly detail: string | undefined },
): HostError {
  const { cause, next } = DENIALS[why];
  const more = detail === undefined ? '' : ` (${detail.replace(/\.$/, '')})`;
  return new HostError('SCOPE_DENIED', `The tool "${tool}" was not called: ${cause}${more}.`, {
    layer: 'policy',
    effect: 'none',
    suggestion: next,
    data: { reason: why },
  });
}
