import {
  type Checkpoint,
  checkpointName,
  type FeatureSetView,
  type KeptState,
  type LineageKey,
  pluralWord,
  type ServerSnapshot,
} from '../../core/index.ts';
import type { NodeKind } from '../../webview/lineage/lineageMessages.ts';
import { whoText } from '../approvals/approvalText.ts';
import { agoText, timeText } from '../shared/timeText.ts';
import { plainLine, plainText } from '../shared/plainText.ts';

const MAX_ID = 60;
const MAX_NAME = 80;
const MAX_TOOL = 64;
const MAX_ARGS = 200;
const DAY = 86_400_000;

/** `chk_b`, or `chk_b#2` */
export function idText(node: Pick<Checkpoint, 'checkpoint' | 'copy'>): string {
  return plainText(checkpointName(node), MAX_ID);
}

export function checkpointNameText({ name }: Pick<Checkpoint, 'name'>): string {
  return plainLine(name ?? '', MAX_NAME);
}

/** The id with the user's name: `chk_b "before the move"`. */
export function titleText(node: Pick<Checkpoint, 'checkpoint' | 'copy' | 'name'>): string {
  const name = checkpointNameText(node);
  return name === '' ? idText(node) : `${idText(node)} "${name}"`;
}

/** `notes (notes.edit)`, or `notes` without a known set. */
export function lineageText({ server, featureSet }: LineageKey): string {
  return whoText(server, featureSet === '' ? undefined : featureSet);
}

export function kindOf({ isPruned, problem, form }: Pick<Checkpoint, 'isPruned' | 'problem' | 'form'>): NodeKind {
  if (isPruned) return 'pruned';
  if (problem !== undefined) return 'broken';
  return form === 'placeholder' ? 'unknown' : 'good';
}

/** The tool that created it, or a description of its origin. */
export function makerText({ tool, form, link }: Pick<Checkpoint, 'tool' | 'form' | 'link'>): string {
  if (tool !== undefined) return plainLine(tool, MAX_TOOL);
  if (form === 'placeholder') return 'named as a parent';
  return link === 'rollback' ? 'a rollback' : 'the server';
}

export function argsText({ args }: Pick<Checkpoint, 'args'>): string {
  return plainLine(args ?? '', MAX_ARGS);
}

/** A checkpoint on one line, after texts of the caller. Empty texts are left out. */
export function checkpointLine(first: readonly string[], node: Checkpoint, now: number): string {
  const kind = kindOf(node);
  const facts = [...first, kind === 'good' ? '' : kind, makerText(node), argsText(node), wholeTimeText(node.at, now)];
  return facts.filter((fact) => fact !== '').join(' · ');
}

/** `16:04:21` today, with the date on other days. */
export function checkpointTimeText(at: number, now: number): string {
  const text = timeText(at);
  return Math.abs(now - at) < DAY && timeText(now).slice(0, 10) === text.slice(0, 10)
    ? text.slice(11)
    : text.slice(0, -3);
}

/** `2026-11-18 16:04:21, 5 min ago` */
export function wholeTimeText(at: number, now: number): string {
  return `${timeText(at)}, ${agoText(at, now)}`;
}

/** Formats a size in characters as bytes. */
export function sizeText(size: number): string {
  if (size < 1_000) return `${size} B`;
  return size < 1_000_000 ? `${(size / 1_000).toFixed(1)} KB` : `${(size / 1_000_000).toFixed(1)} MB`;
}

/** The size of the received content. */
export function bodySizeText({ form, size }: Pick<Checkpoint, 'form' | 'size'>): string {
  switch (form) {
    case 'data':
      return sizeText(size);
    case 'patch':
      return `patch ${sizeText(size)}`;
    case 'same':
      return 'unchanged';
    case 'opaque':
    case 'placeholder':
      return '';
  }
}

export function countText(count: number, one: string, many?: string): string {
  return `${count.toLocaleString('en')} ${pluralWord(count, one, many)}`;
}

/** Sets with a state. */
export function statefulSets({ mcpl }: ServerSnapshot): readonly FeatureSetView[] {
  return (mcpl?.sets ?? []).filter(({ set }) => set.hostState || set.rollback);
}

/** Why there is no lineage, with the next step. */
export function emptyText(servers: readonly ServerSnapshot[]): string {
  const sets = servers.flatMap((server) =>
    statefulSets(server).map(({ set, state }) => ({
      name: lineageText({ server: server.id, featureSet: set.name }),
      isOn: state === 'enabled',
    })),
  );
  const on = sets.find(({ isOn }) => isOn);
  if (on !== undefined)
    return `No checkpoint yet. Call a tool of ${on.name}: the state that it returns is kept, and shown here.`;
  const off = sets[0];
  return off === undefined
    ? 'No checkpoint yet. Servers with a feature set that has a state make one with each call. ' +
        'Add such a server, or try the demo server, and check the feature set in the Servers view.'
    : `No checkpoint yet. ${off.name} has a state: check its feature set in the Servers view, then call one of its tools.`;
}

/** The outcome for the state in a result. */
export function keptText(kept: KeptState): string {
  const name = kept.checkpoint === undefined ? '' : ` ${plainText(kept.checkpoint, MAX_ID)}`;
  switch (kept.kind) {
    case 'kept':
      return `Checkpoint${name} is kept.`;
    case 'known':
      return `Checkpoint${name} was there already.`;
    case 'broken':
      return `Checkpoint${name} has no state: ${plainLine(kept.problem, 300)}`;
    case 'lost':
      return `${name === '' ? 'The state' : `Checkpoint${name}`} was not kept: ${plainLine(kept.problem, 300)}`;
  }
}
