import { isObject, lazy, type SettingsProblem } from '../../core/index.ts';
import type { CommandId, Facet } from './ids.ts';
import type { NodeIcon } from './serverStateText.ts';

/** A row of the Servers view, as data. All texts are plain, cleaned and bounded. */
export interface TreeNode {
  /** Stable, so that expansion and selection survive a refresh. */
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
  /** The target of commands, together with the next members. Empty for a problem without a server. */
  readonly server: string;
  readonly tool: string | undefined;
  /** URI of a resource. */
  readonly resource: string | undefined;
  /** URI template of resources. */
  readonly template: string | undefined;
  readonly prompt: string | undefined;
  readonly featureSet: string | undefined;
  /** The sets that its checkbox switches: its own and those below. */
  readonly featureSets: readonly string[];
  readonly label: string;
  readonly description: string;
  readonly tooltip: string;
  readonly spoken: string;
  readonly icon: NodeIcon | undefined;
  readonly facets: readonly Facet[];
  readonly checkbox: NodeCheckbox | undefined;
  readonly command: NodeCommand | undefined;
  /** The setting that the row is about. */
  readonly setting: SettingTarget | undefined;
  readonly expansion: 'none' | 'collapsed' | 'expanded';
  readonly children: readonly TreeNode[];
}

/** Whether a command was called from a row of the view, by a click or in its menu. */
export function isRow(argument: unknown): boolean {
  return isObject(argument) && isObject(argument['node']);
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

export interface SettingTarget extends Pick<SettingsProblem, 'path'> {
  /** `undefined` for the settings level that takes precedence. */
  readonly scope: SettingsProblem['scope'] | undefined;
}

export const MAX_LABEL = 200;
export const ERROR_ICON: NodeIcon = { name: 'error', color: 'list.errorForeground' };
export const WARNING_ICON: NodeIcon = { name: 'warning', color: 'list.warningForeground' };

/** Defaults for a row without further members. */
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

/** Maximum rows below one row: creating 10,000 takes 50 ms, plus 40 in the editor, with each change while visible. */
const MAX_ROWS = 500;

type RowsNode = Omit<TreeNode, 'children'>;

/** A row whose children are created when it is expanded: 10,000 took 50 ms with each change of any server. */
export function nodeWith(node: RowsNode, rows: () => readonly TreeNode[]): TreeNode {
  const made = lazy(rows);
  return {
    ...node,
    get children() {
      return made();
    },
  };
}

/** The rows of a list, split into parts if it is long. */
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

/** The rows in one part of a list, counted from 1. */
interface Part<N> {
  readonly from: number;
  readonly to: number;
  readonly first: N;
  readonly last: N;
}

/** A row per item or, for a long list, per part. The rows of a part are created on demand. */
export function inParts<T, N>(
  items: readonly T[],
  rowOf: (item: T) => N,
  partOf: (part: Part<N>, rows: () => readonly N[]) => N,
): readonly N[] {
  if (items.length <= MAX_ROWS) return items.map(rowOf);
  const parts: N[] = [];
  for (let start = 0; start < items.length; start += MAX_ROWS) {
    const some = items.slice(start, start + MAX_ROWS);
    const [first, last] = [some[0], some.at(-1)];
    if (first === undefined || last === undefined) break;
    const part = { from: start + 1, to: start + some.length, first: rowOf(first), last: rowOf(last) };
    parts.push(
      partOf(
        part,
        lazy(() => some.map(rowOf)),
      ),
    );
  }
  return parts;
}

/** Joins the non-empty lines. */
export function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}

/** Quoted, because names may contain anything and ids must be unique. */
export function nodeId(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
