import { quoted } from '../base/quotedText.ts';
import type { McplGrant } from '../model/mcplGrant.ts';
import { UNREADABLE_ADAPTER } from '../model/scope.ts';

/** What the workspace's settings allow of scopes, in plain sentences. What reaches farthest is named first. */
export function remarksOnScopes(grants: readonly McplGrant[]): readonly string[] {
  const patterns = [...new Set(grants.flatMap((grant) => (grant.kind === 'whitelist' ? grant.patterns : [])))];
  const adapters = grants.filter((grant) => grant.kind === 'adapter');
  const within = (reach: Reach): readonly string[] => patterns.filter((pattern) => reachOf(pattern) === reach);
  const unreadable = adapters.filter(({ paths }) => paths.some((path) => UNREADABLE_ADAPTER.includes(path)));
  const free = adapters.filter(({ paths }) => paths.length === 0);
  const named = adapters.filter((adapter) => !unreadable.includes(adapter) && !free.includes(adapter));
  const tools = (some: typeof adapters): readonly string[] => some.map(({ tool }) => tool);
  return [
    ...sentence('Without asking, it may touch outside the workspace', within('outside')),
    ...sentence('Without asking, it may touch in the workspace', within('inside')),
    ...sentence('Without asking, it may use the names', within('name')),
    ...sentence('Calls of these tools never need an approval', tools(free)),
    ...sentence(
      'Targets of these tools are read only from the arguments in brackets',
      named.map(({ tool, paths }) => `${quoted(tool)} (${paths.map(quoted).join(', ')})`),
      (text) => text,
    ),
    ...sentence('Targets of these tools are unknown, so no list allows their calls', tools(unreadable)),
  ];
}

/** The short ones come first, as they say the most: a flood of long ones must not hide `/**`. */
function sentence(words: string, items: readonly string[], show = quoted): readonly string[] {
  if (items.length === 0) return [];
  const sorted = [...items].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return [`${words}: ${sorted.map(show).join(', ')}.`];
}

type Reach = 'inside' | 'outside' | 'name';

/** Where anything that fits a pattern can lie. Only what certainly stays in the open folders is inside. */
function reachOf(pattern: string): Reach {
  if (/\.\.|\\/.test(pattern)) return 'outside';
  // What follows the folder's name must be a part of it and not the rest of another name.
  if (/^\$\{workspaceFolder(:[^}]*)?\}(\/|$)/.test(pattern)) return 'inside';
  if (/^(file|vscode-remote):/i.test(pattern)) return 'outside';
  if (/^([#@]|[a-z][a-z\d+.-]+:)/i.test(pattern)) return 'name';
  return /^(?!\s)[^/~*?[\]{}()!$:]+(\/|$)/.test(pattern) ? 'inside' : 'outside';
}
