import type { SettingsProblem } from '../core/index.ts';
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

/** Those of the lines that there are. */
export function lines(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join('\n');
}

/** Names may contain anything, so they are quoted: no two things share an id. */
export function nodeId(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
