import type { ApprovalSubject, ScopeDoubt, ScopeSubject } from '../model/approval.ts';
import type { ApprovalGrant, ScopeGrant } from '../model/grant.ts';
import type { ScopeTarget } from '../model/scope.ts';

/** A text with words of a server in it, which each reader quotes in its own way. */
type Phrase = readonly (string | { readonly name: string } | { readonly claim: string })[];

/** How a reader quotes the names and the claims of a server. */
export interface Quoting {
  name(text: string): string;
  claim(text: string): string;
}

/** The subject of a request in words. Editor, terminal and gateway draw these, and know no kind of subject. */
export interface SubjectText {
  /** After "wants", without targets: `to call edit_file`, `access to`. */
  readonly wanted: Phrase;
  /** Between the request and its targets. */
  readonly joint: ' on ' | ' ';
  /** After a request without targets. */
  readonly noTargets: string;
  readonly targets: readonly ScopeTarget[];
  /** The operation, for a page with all details. */
  readonly action: Phrase;
  /** The reason for the question, as a sentence. */
  readonly why: string;
  /** The same with what the server says. */
  readonly reason: Phrase;
  /** The same as a warning in a terminal. */
  readonly warning: string | undefined;
  /** For a chat, which shows a few lines and has the targets in a sentence of their own. */
  readonly short: { readonly wanted: Phrase; readonly why: string };
  /** `deceptive`: the server's words contradict what the host found. */
  readonly doubt: 'none' | 'unclear' | 'deceptive';
  /** The server's own name for it. */
  readonly label: string | undefined;
  /** What the server or the model sent with it, under a title. */
  readonly data: { readonly title: string; readonly text: string } | undefined;
  /** Which requests an answer for longer than once covers, as a sentence. */
  readonly identical: string;
}

/** A grant in words, for approvals that count more than once. */
interface GrantText {
  /** After "may", before its targets: `call`, `have access to`. */
  readonly may: string;
  /** The name of what may be called. */
  readonly name: string | undefined;
  readonly action: Phrase;
  readonly identical: string;
}

export function subjectText(subject: ApprovalSubject): SubjectText {
  switch (subject.kind) {
    case 'scope':
      return scopeText(subject);
  }
}

export function grantText(grant: ApprovalGrant): GrantText {
  switch (grant.kind) {
    case 'scope':
      return scopeGrantText(grant);
  }
}

/** The members of a grant that say what it allows. */
export function allowedBy(subject: ApprovalSubject): Pick<ApprovalGrant, 'kind' | 'action' | 'label' | 'targets'> {
  switch (subject.kind) {
    case 'scope': {
      const { kind, action, label, targets } = subject;
      const name = action.kind === 'call' ? action.tool : ELEVATION;
      return { kind, action: name, label, targets: targets.map(({ real }) => real) };
    }
  }
}

export function phraseText(phrase: Phrase, quoting: Quoting): string {
  const texts = phrase.map((part) => {
    if (typeof part === 'string') return part;
    return 'name' in part ? quoting.name(part.name) : quoting.claim(part.claim);
  });
  return texts.join('');
}

const ELEVATION = 'scope/elevate';

/** Modes of a payload (MCPL §7.3) in words. */
const VERBS: Readonly<Record<string, string>> = {
  append: 'append to',
  create: 'create',
  delete: 'delete',
  execute: 'run',
  list: 'list',
  move: 'move',
  read: 'read',
  rename: 'rename',
  write: 'write to',
};

interface Reasons {
  readonly why: string;
  readonly short: string;
  readonly warning: string | undefined;
}

const OTHER_NAME = 'Its label names something else.';

const DOUBTS: Readonly<Record<Exclude<ScopeDoubt, 'unlisted'>, Reasons>> = {
  disagreement: {
    why: OTHER_NAME,
    short: OTHER_NAME,
    warning: 'It names something else than what it would touch.',
  },
  noTarget: {
    why: 'MCP Live could not find out what it touches.',
    short: 'MCP Live could not find out what it would touch.',
    warning: 'What it would touch could not be found out.',
  },
};

function reasonsOf({ why, targets }: ScopeSubject): Reasons {
  if (why !== 'unlisted') return DOUBTS[why];
  const text = `No rule in your settings covers ${targetWords(targets)}.`;
  return { why: text, short: text, warning: undefined };
}

/** `this file`, `all of these files`. A request for several targets needs an approval if one of them has no rule. */
function targetWords(targets: readonly ScopeTarget[]): string {
  const count = new Set(targets.map(({ kind, real }) => `${kind} ${real}`)).size;
  if (count === 0) return 'it';
  const noun = nounOf(targets);
  return count === 1 ? `this ${noun}` : `all of these ${noun}s`;
}

function nounOf(targets: readonly ScopeTarget[]): string {
  if (targets.some(({ kind }) => kind === 'name')) return 'target';
  return targets.every(({ inside }) => inside?.path === '') ? 'folder' : 'file';
}

function scopeText(subject: ScopeSubject): SubjectText {
  const { action, label, payload, targets, why } = subject;
  const reasons = reasonsOf(subject);
  const common = {
    targets,
    why: reasons.why,
    reason: reasonOf(subject, reasons),
    warning: reasons.warning,
    doubt: why === 'unlisted' ? 'none' : why === 'disagreement' ? 'deceptive' : 'unclear',
    label,
    identical: identical(action.kind === 'call', targets.length > 0),
  } as const;
  if (action.kind === 'call')
    return {
      ...common,
      wanted: ['to call ', { name: action.tool }],
      joint: ' on ',
      noTargets: '',
      action: callOf(action.tool),
      short: { wanted: ['to run its tool ', { name: action.tool }], why: reasons.short },
      data: payload === undefined ? undefined : { title: 'The arguments', text: payload },
    };
  const { mode } = action;
  const verb = mode === undefined || !Object.hasOwn(VERBS, mode) ? undefined : VERBS[mode];
  return {
    ...common,
    wanted: [verb === undefined ? 'access to' : `to ${verb}`],
    joint: ' ',
    noTargets: ' something unknown',
    action: mode === undefined ? [ELEVATION] : [`${ELEVATION}; it says that it will `, { name: mode }],
    short: {
      wanted: mode === undefined ? ['more access than its settings give'] : ['access (', { name: mode }, ')'],
      why: reasons.short,
    },
    data: payload === undefined ? undefined : { title: 'What the server sent with it', text: payload },
  };
}

/** One sentence. */
function reasonOf({ label, why }: ScopeSubject, reasons: Reasons): Phrase {
  if (label === undefined || why === 'unlisted') return [reasons.why];
  return why === 'disagreement'
    ? ['It calls it ', { claim: label }, ', which names something else.']
    : [`${reasons.why.replace(/\.$/, '')}; the server says `, { claim: label }, '.'];
}

function scopeGrantText({ action, targets }: ScopeGrant): GrantText {
  const isCall = action !== ELEVATION;
  return {
    may: isCall ? 'call' : 'have access to',
    name: isCall ? action : undefined,
    action: isCall ? callOf(action) : [ELEVATION],
    identical: identical(isCall, targets.length > 0),
  };
}

function callOf(tool: string): Phrase {
  return ['a call of its tool ', { name: tool }];
}

/** A call is remembered by its targets: its other arguments differ each time. */
function identical(isCall: boolean, isKnown: boolean): string {
  if (!isCall) return 'An identical request comes from the same program, with the same targets and the same data.';
  if (!isKnown) return 'An identical request calls the same tool of the same program with the same arguments.';
  return 'An identical request calls the same tool of the same program with the same targets, even if other arguments differ.';
}
