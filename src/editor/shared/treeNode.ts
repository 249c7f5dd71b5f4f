import type { SettingsProblem } from '../../core/index.ts';
import type { CommandId, Facet } from './ids.ts';
import type { NodeIcon } from './serverStateText.ts';

/** One row of the Servers view, as data: all texts are plain, cleaned and bounded. */
export interface TreeNode {
  /** The same for the same thing at all times, so that expansion and selection survive a refresh. */
  readonly id: string;
  readonly kind:
    | 'server'
    | 'question'
    | 'featureSets'
    | 'featureSet'
    | 'checkpoints'
    | 'scopes'
    | 'scope'
    | 'tools'
    | 'tool'
    | 'resources'
    | 'resource'
    | 'template'
    | 'prompts'
    | 'prompt'
    | 'models'
    | 'log'
    | 'note'
    | 'problem';
  /** With what follows, what commands on this row are about. Empty for a problem of no server. */
  readonly server: string;
  readonly tool: string | undefined;
  /** The URI of a resource. */
  readonly resource: string | undefined;
  /** The URI template of resources. */
  readonly template: string | undefined;
  readonly prompt: string | undefined;
  readonly featureSet: string | undefined;
  /** The feature sets that its checkbox switches: its own and those below. */
  readonly featureSets: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
  readonly icon: NodeIcon | undefined;
  readonly facets: readonly Facet[];
  readonly checkbox: NodeCheckbox | undefined;
  readonly command: NodeCommand | undefined;
  /** The member of the settings that the row is about. */
  readonly setting: SettingPlace | undefined;
  readonly expansion: 'none' | 'collapsed' | 'expanded';
  readonly children: readonly TreeNode[];
}

export interface NodeCheckbox {
  readonly checked: boolean;
  readonly tooltip: string;
  readonly spoken: string;
}

export interface NodeCommand {
  readonly id: CommandId;
  readonly title: string;
}

export interface SettingPlace extends Pick<SettingsProblem, 'path'> {
  /** `undefined`: the strongest place that has it. */
  readonly scope: SettingsProblem['scope'] | undefined;
}

export const MAX_LABEL = 200;
export const ERROR_ICON: NodeIcon = { name: 'error', color: 'list.errorForeground' };
export const WARNING_ICON: NodeIcon = { name: 'warning', color: 'list.warningForeground' };

/** What a row has that says no more. */
export const LEAF = {
  tool: undefined,
  resource: undefined,
  template: undefined,
  prompt: undefined,
  featureSet: undefined,
  featureSets: [],
  description: '',
  icon: undefined,
  facets: [],
  checkbox: undefined,
  command: undefined,
  setting: undefined,
  expansion: 'none',
  children: [],
} as const;

/** So many stand under one row: to make 10,000 takes 50 ms, and the editor 40 more, with each change while they are shown. */
const MOST_ROWS = 500;

type RowsNode = Omit<TreeNode, 'children'>;

/** A row whose own are made when somebody opens it: 10,000 of them, at every change of any server, took 50 ms. */
export function nodeWith(node: RowsNode, rows: () => readonly TreeNode[]): TreeNode {
  const made = once(rows);
  return {
    ...node,
    get children() {
      return made();
    },
  };
}

/** Rows of a list; a long one is cut into parts. */
export function rowsOf<T>(above: RowsNode, items: readonly T[], rowOf: (item: T) => TreeNode): readonly TreeNode[] {
  return inParts(items, rowOf, ({ from, to, first, last }, rows) => {
    const description = `${first.label} … ${last.label}`;
    const part = {
      ...LEAF,
      id: nodeId('part', above.id, String(from)),
      kind: above.kind,
      server: above.server,
      label: `${from} – ${to}`,
      description,
      tooltip: description,
      spoken: `${above.label} ${from} to ${to}, ${first.label} to ${last.label}`,
      expansion: 'collapsed' as const,
    };
    return nodeWith(part, rows);
  });
}

/** Which rows of a list stand in a part of it, the first one being 1. */
interface Part<N> {
  readonly from: number;
  readonly to: number;
  readonly first: N;
  readonly last: N;
}

/** A row for each item, or, of many, one for each part; those of a part are made when they are asked for. */
export function inParts<T, N>(
  items: readonly T[],
  rowOf: (item: T) => N,
  partOf: (part: Part<N>, rows: () => readonly N[]) => N,
): readonly N[] {
  if (items.length <= MOST_ROWS) return items.map(rowOf);
  const parts: N[] = [];
  for (let start = 0; start < items.length; start += MOST_ROWS) {
    const some = items.slice(start, start + MOST_ROWS);
    const [first, last] = [some[0], some.at(-1)];
    if (first === undefined || last === undefined) break;
    const part = { from: start + 1, to: start + some.length, first: rowOf(first), last: rowOf(last) };
    parts.push(
      partOf(
        part,
        once(() => some.map(rowOf)),
      ),
    );
  }
  return parts;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** Those of the lines that there are. */
export function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}

/** Names may contain anything, so they are quoted: no two things share an id. */
export function nodeId(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
