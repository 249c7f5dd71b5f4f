import { matchesFeatureSet, plural, type ScopeLists, type ServerSnapshot } from '../../core/index.ts';
import { nameText } from '../approvals/approvalText.ts';
import { COMMANDS, FACETS } from '../shared/ids.ts';
import { plainText } from '../shared/plainText.ts';
import type { NodeIcon } from '../shared/serverStateText.ts';
import { ERROR_ICON, LEAF, lines, MAX_LABEL, nodeId, type TreeNode } from '../shared/treeNode.ts';

/** Maximum rows of a list. Longer lists are shown in settings. */
const MAX_PATTERNS = 200;

const ALLOWED: NodeIcon = { name: 'check', color: 'testing.iconPassed' };
const DENIED: NodeIcon = { name: 'circle-slash', color: 'list.errorForeground' };

/** The scopes of a server as one row. Empty without any. Workspace values only appear once they are allowed. */
export function scopesNodes(server: ServerSnapshot): readonly TreeNode[] {
  const { id, scopes, mcpl } = server;
  const lists = Object.entries(scopes.lists);
  const unlisted = (mcpl?.sets ?? [])
    .filter(({ set }) => set.scoped && !lists.some(([key]) => matchesFeatureSet(key, set.name)))
    .map(({ set }) => set.name);
  const adapters = Object.entries(scopes.adapters);
  if (lists.length + unlisted.length + adapters.length === 0) return [];
  const broken = lists.filter(([, { isBroken }]) => isBroken).length;
  const description = [
    ...(broken === 0 ? [] : [plural(broken, 'broken list')]),
    countText(
      lists.reduce((sum, [, { whitelist }]) => sum + whitelist.length, 0),
      lists.reduce((sum, [, { blacklist }]) => sum + blacklist.length, 0),
    ),
  ].join(' · ');
  const node: TreeNode = {
    ...row(id, []),
    id: nodeId('scopes', id),
    kind: 'scopes',
    label: 'Scopes',
    description,
    tooltip: lines(
      'Targets that calls and requests of the server may touch. You are asked about targets that no list covers.',
      'This is policy, not a sandbox: the process of the server can touch anything that you can.',
    ),
    spoken: `Scopes, ${description}`,
    icon: broken === 0 ? { name: 'shield' } : ERROR_ICON,
    expansion: broken === 0 ? 'collapsed' : 'expanded',
    children: [
      ...lists.map(([key, list]) => listNode(id, key, list)),
      ...unlisted.map((name) => unlistedNode(id, name)),
      ...adapters.map(([tool, paths]) => adapterNode(id, tool, paths)),
    ],
  };
  return [node];
}

function listNode(server: string, key: string, list: ScopeLists): TreeNode {
  const { whitelist, blacklist, isBroken } = list;
  const name = key === '*' ? 'All feature sets' : nameText(key);
  const counts = countText(whitelist.length, blacklist.length);
  const description = isBroken ? 'everything is denied until it is corrected' : counts;
  const patterns = [
    ...whitelist.map((pattern) => ({ pattern, list: 'whitelist' as const })),
    ...blacklist.map((pattern) => ({ pattern, list: 'blacklist' as const })),
  ];
  const shown = patterns.slice(0, MAX_PATTERNS);
  return {
    ...row(server, [key]),
    id: nodeId('scope', server, key),
    label: name,
    description,
    tooltip: lines(
      isBroken ? `${name}: part of its blacklist cannot be read, so everything is denied.` : `${name}: ${counts}`,
      'Deny lists take precedence over allow lists. Select to open the setting.',
    ),
    spoken: `Scopes of ${name}, ${description}`,
    icon: isBroken ? ERROR_ICON : { name: 'filter' },
    expansion: patterns.length === 0 ? 'none' : isBroken ? 'expanded' : 'collapsed',
    children: [
      ...shown.map((each, index) => patternNode(server, key, name, each, index)),
      ...(shown.length < patterns.length ? [restNode(server, key, patterns.length - shown.length)] : []),
    ],
  };
}

interface Pattern {
  readonly pattern: string;
  readonly list: 'whitelist' | 'blacklist';
}

function patternNode(server: string, key: string, name: string, { pattern, list }: Pattern, index: number): TreeNode {
  const label = plainText(pattern, MAX_LABEL);
  const word = list === 'whitelist' ? 'allowed' : 'denied';
  return {
    ...row(server, [key, list]),
    // A list may contain a pattern twice.
    id: nodeId('pattern', server, key, list, String(index)),
    label,
    description: word,
    tooltip: lines(plainText(pattern), `${list === 'whitelist' ? 'Allowed' : 'Denied'} to ${name}.`),
    spoken: `${label}, ${word} to ${name}`,
    icon: list === 'whitelist' ? ALLOWED : DENIED,
  };
}

function restNode(server: string, key: string, count: number): TreeNode {
  const label = `${count} more in the settings`;
  return { ...row(server, [key]), id: nodeId('patterns', server, key), label, tooltip: label, spoken: label };
}

function unlistedNode(server: string, name: string): TreeNode {
  const label = nameText(name);
  const description = 'no list: you are asked';
  return {
    ...row(server, []),
    id: nodeId('unlisted', server, name),
    label,
    description,
    tooltip: `${label} is scoped and has no list in the settings: you are asked about each request.`,
    spoken: `Scopes of ${label}, ${description}`,
    icon: { name: 'question' },
  };
}

function adapterNode(server: string, tool: string, paths: readonly string[]): TreeNode {
  const label = nameText(tool);
  const [description, meaning] = adapterWords(label, paths);
  return {
    ...row(server, []),
    id: nodeId('adapter', server, tool),
    label,
    description,
    tooltip: lines(meaning, 'Select to open the setting.'),
    spoken: `Tool ${label}, ${description}`,
    icon: { name: 'symbol-parameter' },
    setting: { scope: undefined, path: [server, 'scopeAdapters', tool] },
  };
}

function adapterWords(tool: string, paths: readonly string[]): readonly [description: string, meaning: string] {
  if (paths.length === 0) return ['touches nothing', `By the settings, calls of ${tool} touch nothing and never ask.`];
  // An empty path stands for an unreadable adapter.
  if (paths.includes('')) return ['cannot be read: you are asked', `The targets of calls of ${tool} are unknown.`];
  const members = plainText(paths.join(', '), MAX_LABEL);
  return [`targets at ${members}`, `Arguments of ${tool} that name targets: ${members}`];
}

/** A row that opens its setting. */
function row(
  server: string,
  path: readonly string[],
): Omit<TreeNode, 'id' | 'label' | 'tooltip' | 'spoken'> & { readonly kind: 'scope' } {
  return {
    ...LEAF,
    kind: 'scope',
    server,
    facets: [FACETS.scope],
    command: { id: COMMANDS.serverOpenSettings, title: 'Open Setting' },
    setting: { scope: undefined, path: [server, 'scopes', ...path] },
  };
}

function countText(allowed: number, denied: number): string {
  if (allowed + denied === 0) return 'nothing allowed or denied';
  return [...(allowed > 0 ? [`${allowed} allowed`] : []), ...(denied > 0 ? [`${denied} denied`] : [])].join(' · ');
}
