import {
  type AuditEntry,
  type AuditOutcome,
  cleanLine,
  cleanText,
  type PendingApproval,
  plural,
  type ApprovalGrant,
  grantText,
  subjectText,
} from '../../core/index.ts';
import { ageText, agoText, clockText, timeText } from '../shared/timeText.ts';
import { COMMANDS, FACETS, SHOW_MORE_DECISIONS } from '../shared/ids.ts';
import type { NodeIcon } from '../shared/serverStateText.ts';
import { inParts, nodeId } from '../shared/treeNode.ts';
import type { ViewRow } from '../shared/viewRow.ts';
import type { OpenFolder } from '../shared/workspaceFolders.ts';
import { approvalSummary, grantSummary } from './approvalPage.ts';
import {
  allowedText,
  approvalText,
  historyText,
  expiryText,
  narrowText,
  outsideText,
  seenFrom,
  wantedText,
  whoText,
} from './approvalText.ts';

const DAY = 86_400_000;

/** A row of the Approvals view, as data. Commands take it as their target. */
export interface ApprovalNode extends ViewRow {
  readonly server?: string;
  /** Id of a pending request. */
  readonly approval?: string;
  /** Id of a grant. */
  readonly grant?: string;
  readonly children: readonly ApprovalNode[];
}

/** The content of the view. */
export interface ApprovalState {
  readonly pending: readonly PendingApproval[];
  readonly remembered: readonly ApprovalGrant[];
  /** Newest first. Has one more than shown if there are more. */
  readonly history: readonly AuditEntry[];
  /** Number of decisions to show. */
  readonly shown: number;
}

/** The whole view: pending requests, grants, and past decisions. */
export function approvalTree(
  { pending, remembered, history, shown }: ApprovalState,
  folders: readonly OpenFolder[],
  now: number,
): readonly ApprovalNode[] {
  const decisions = history.slice(0, shown).map((entry) => decisionNode(entry, folders, now));
  return [
    ...pending.map((approval) => pendingNode(approval, folders, now)),
    ...(remembered.length === 0 ? [] : [rememberedGroup(remembered, folders, now)]),
    ...(decisions.length === 0 ? [] : [historyGroup(decisions, history.length > shown)]),
  ];
}

function pendingNode(approval: PendingApproval, folders: readonly OpenFolder[], now: number): ApprovalNode {
  const { id, server, featureSet, waiting, askedAt, expiresAt } = approval;
  const { targets, doubt } = subjectText(approval.subject);
  const out = outsideText(targets);
  // Anything else needs a second look.
  const isPlain = doubt === 'none' && targets.every(({ kind, inside }) => kind === 'name' || inside !== undefined);
  const description = [
    whoText(server, featureSet),
    ...(out === '' ? [] : [out]),
    ...(waiting > 1 ? [`${waiting} requests`] : []),
    ...(doubt === 'deceptive' ? ['called something else'] : []),
    `expires at ${clockText(expiresAt, askedAt)}`,
  ].join(' · ');
  return {
    ...LEAF,
    id: nodeId('approval', id),
    server,
    approval: id,
    label: narrowText(wantedText(approval.subject, folders)),
    description,
    tooltip: approvalSummary(approval, folders),
    spoken: `Waiting for your answer: ${approvalText(approval, folders)} Asked ${agoText(askedAt, now)}. ${expiryText(approval)}.`,
    icon: { name: isPlain ? 'question' : 'warning', color: 'list.warningForeground' },
    context: FACETS.pending,
    command: { id: COMMANDS.approvalOpen, title: 'Show Details' },
  };
}

function rememberedGroup(grants: readonly ApprovalGrant[], folders: readonly OpenFolder[], now: number): ApprovalNode {
  return {
    ...LEAF,
    id: nodeId('remembered'),
    label: 'Remembered',
    description: String(grants.length),
    tooltip: 'Requests that you allowed for longer than once. You are not asked again about identical requests.',
    spoken: `Remembered: ${plural(grants.length, 'approval')}.`,
    icon: { name: 'bookmark' },
    context: 'group',
    expansion: 'expanded',
    children: inParts(
      grants,
      (grant) => grantNode(grant, folders, now),
      ({ from, to, first, last }, rows) => ({
        ...LEAF,
        id: nodeId('remembered', String(from)),
        label: `${from} – ${to}`,
        description: `${first.label} … ${last.label}`,
        tooltip: `${first.label}\n…\n${last.label}`,
        spoken: `Remembered ${from} to ${to}, ${first.label} to ${last.label}`,
        icon: { name: 'bookmark' },
        context: 'group',
        expansion: 'collapsed',
        get children() {
          return rows();
        },
      }),
    ),
  };
}

function grantNode(grant: ApprovalGrant, folders: readonly OpenFolder[], now: number): ApprovalNode {
  const { id, server, featureSet, lifetime } = grant;
  const label = allowedText(grant, folders);
  const ends = endText(grant, now);
  const who = whoText(server, featureSet);
  const isLasting = lifetime === 'workspace';
  return {
    ...LEAF,
    id: nodeId('grant', id),
    server,
    grant: id,
    label: narrowText(label),
    description: `${who} · ${ends}`,
    tooltip: grantSummary(grant, folders, ends),
    spoken: `Allowed ${ends}: ${who} may ${grantText(grant).may} ${label}.`,
    icon: { name: isLasting ? 'shield' : 'watch' },
    context: isLasting ? `${FACETS.grant}+${FACETS.lasting}` : FACETS.grant,
    command: { id: COMMANDS.approvalOpen, title: 'Show Details' },
  };
}

/** The duration of a grant: `for this session`, `until 2027-02-16`. */
export function endText({ lifetime, until }: ApprovalGrant, now: number): string {
  if (until === undefined) return lifetime === 'session' ? 'for this session' : 'until revoked';
  if (until <= now) return 'no longer';
  const time = timeText(until);
  const end = until - now < DAY ? time.slice(0, -3) : time.slice(0, 10);
  return lifetime === 'session' ? `for this session, until ${end} at most` : `until ${end}`;
}

function historyGroup(decisions: readonly ApprovalNode[], hasMore: boolean): ApprovalNode {
  return {
    ...LEAF,
    id: nodeId('history'),
    label: 'History',
    description: '',
    tooltip: 'Decisions about requests: by the lists in settings, by remembered approvals, and by you. Newest first.',
    spoken: 'History of decisions.',
    icon: { name: 'history' },
    context: 'group',
    expansion: 'collapsed',
    children: hasMore ? [...decisions, MORE] : decisions,
  };
}

const OUTCOMES: Readonly<Record<AuditOutcome, NodeIcon>> = {
  success: { name: 'check', color: 'testing.iconPassed' },
  refused: { name: 'circle-slash', color: 'list.errorForeground' },
  failure: { name: 'error', color: 'list.errorForeground' },
  timeout: { name: 'watch', color: 'list.warningForeground' },
  cancelled: { name: 'close', color: 'disabledForeground' },
  dropped: { name: 'close', color: 'disabledForeground' },
};

function decisionNode(entry: AuditEntry, folders: readonly OpenFolder[], now: number): ApprovalNode {
  const { place, at, server, featureSet, outcome, detail } = entry;
  const decided = historyText(detail ?? outcome);
  // For a call the tool comes first. For an elevation it is omitted.
  const said = decided.replace(/^scope\/elevate (?=\S)/, '');
  const label = cleanLine(seenFrom(folders, said), 300);
  const who = whoText(server, featureSet);
  return {
    ...LEAF,
    id: nodeId('decision', String(place)),
    server,
    label: narrowText(label),
    description: `${who} · ${ageText(at, now)}`,
    tooltip: [cleanText(decided), '', `Server: ${who}`, `Decided: ${timeText(at)}`].join('\n'),
    spoken: `${who}, ${agoText(at, now)}: ${label.replace(/\.$/, '')}.`,
    icon: OUTCOMES[outcome],
    context: 'decision',
  };
}

const LEAF = { expansion: 'none', children: [] } as const;

const MORE: ApprovalNode = {
  ...LEAF,
  id: nodeId('more'),
  label: 'Show more',
  description: '',
  tooltip: 'Show older decisions.',
  spoken: 'Show older decisions.',
  icon: { name: 'ellipsis' },
  context: 'more',
  command: { id: SHOW_MORE_DECISIONS, title: 'Show More' },
};
