import {
  cleanLine,
  cleanText,
  type Listing,
  plural,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type ServerSnapshot,
} from '../../core/index.ts';
import { COMMANDS, FACETS } from '../shared/ids.ts';
import { LEAF, lines, MAX_LABEL, nodeId, nodeWith, rowsOf, type TreeNode, WARNING_ICON } from '../shared/treeNode.ts';

/** Rows for a server's resources and prompts, if it has any. */
export function offerNodes(server: ServerSnapshot): readonly TreeNode[] {
  return [...resourcesNodes(server), ...promptsNodes(server)];
}

function resourcesNodes(server: ServerSnapshot): readonly TreeNode[] {
  // Duplicate URIs would give rows the same id, which the editor rejects.
  const resources = unique(server.resources, ({ uri }) => uri);
  const templates = unique(server.templates, ({ uriTemplate }) => uriTemplate);
  const failure = failureNodes(server.id, 'resources', server.listings.resources);
  if (resources.length + templates.length + failure.length === 0) return [];
  const count = [
    ...(resources.length > 0 || templates.length === 0 ? [String(resources.length)] : []),
    ...(templates.length > 0 ? [plural(templates.length, 'template')] : []),
  ].join(' · ');
  const node = {
    ...LEAF,
    id: nodeId('resources', server.id),
    kind: 'resources' as const,
    server: server.id,
    label: 'Resources',
    description: count,
    tooltip: 'Documents and data of the server. Select one to open it. A template asks for its values first.',
    spoken: `Resources, ${count}`,
    icon: { name: 'library' },
    expansion: 'collapsed' as const,
  };
  const rows = (): readonly TreeNode[] => [
    ...failure,
    ...rowsOf(node, resources, (resource) => resourceNode(server.id, resource)),
    ...rowsOf({ ...node, id: nodeId('templates', server.id) }, templates, (each) => templateNode(server.id, each)),
  ];
  return [nodeWith(node, rows)];
}

function resourceNode(server: string, resource: Resource): TreeNode {
  const { uri, name, title, mimeType, description, size, annotations } = resource;
  const label = cleanLine(title ?? name, MAX_LABEL) || cleanLine(uri, MAX_LABEL);
  return {
    ...LEAF,
    id: nodeId('resource', server, uri),
    kind: 'resource',
    server,
    resource: uri,
    label,
    description: cleanLine(mimeType ?? '', 60),
    tooltip: lines(
      label,
      cleanText(uri),
      size === undefined ? undefined : `${size.toLocaleString('en')} bytes`,
      annotations.lastModified === undefined ? undefined : `Changed: ${cleanLine(annotations.lastModified, 60)}`,
      descriptionText(description),
    ),
    spoken: `Resource ${label}`,
    icon: { name: mimeType?.startsWith('image/') === true ? 'file-media' : 'file' },
    facets: [FACETS.resource],
    command: { id: COMMANDS.resourceOpen, title: 'Open Resource' },
  };
}

function templateNode(server: string, template: ResourceTemplate): TreeNode {
  const { uriTemplate, name, title, description } = template;
  const label = cleanLine(title ?? name, MAX_LABEL) || cleanLine(uriTemplate, MAX_LABEL);
  return {
    ...LEAF,
    id: nodeId('template', server, uriTemplate),
    kind: 'template',
    server,
    template: uriTemplate,
    label,
    description: cleanLine(uriTemplate, MAX_LABEL),
    tooltip: lines(label, cleanText(uriTemplate), descriptionText(description)),
    spoken: `Resource template ${label}`,
    icon: { name: 'symbol-parameter' },
    facets: [FACETS.template],
    command: { id: COMMANDS.resourceOpen, title: 'Open Resource…' },
  };
}

function promptsNodes(server: ServerSnapshot): readonly TreeNode[] {
  const prompts = unique(server.prompts, ({ name }) => name);
  const failure = failureNodes(server.id, 'prompts', server.listings.prompts);
  if (prompts.length + failure.length === 0) return [];
  const count = String(prompts.length);
  const node = {
    ...LEAF,
    id: nodeId('prompts', server.id),
    kind: 'prompts' as const,
    server: server.id,
    label: 'Prompts',
    description: count,
    tooltip: 'Messages that the server has prepared. Select one to enter its arguments and see it.',
    spoken: `Prompts, ${count}`,
    icon: { name: 'comment-discussion' },
    expansion: 'collapsed' as const,
  };
  const rowOf = (prompt: Prompt): TreeNode => promptNode(server.id, prompt);
  return [nodeWith(node, () => [...failure, ...rowsOf(node, prompts, rowOf)])];
}

function promptNode(server: string, prompt: Prompt): TreeNode {
  const { name, title, description } = prompt;
  const label = cleanLine(title ?? name, MAX_LABEL) || cleanLine(name, MAX_LABEL);
  const taken = prompt.arguments.map((each) => `${cleanLine(each.name, 60)}${each.required ? '' : '?'}`).join(', ');
  return {
    ...LEAF,
    id: nodeId('prompt', server, name),
    kind: 'prompt',
    server,
    prompt: name,
    label,
    description: taken,
    tooltip: lines(label, taken === '' ? undefined : `Takes ${taken}`, descriptionText(description)),
    spoken: `Prompt ${label}`,
    icon: { name: 'comment' },
    facets: [FACETS.prompt],
    command: { id: COMMANDS.promptGet, title: 'Get Prompt' },
  };
}

/** A failed list is not an empty one. */
function failureNodes(server: string, list: 'resources' | 'prompts', listing: Listing): readonly TreeNode[] {
  if (listing.kind !== 'failed') return [];
  const label = cleanLine(`The list cannot be read: ${listing.error.message}`, MAX_LABEL);
  const node: TreeNode = {
    ...LEAF,
    id: nodeId('unlisted', server, list),
    kind: 'note',
    server,
    label,
    tooltip: cleanText(lines(listing.error.message, listing.error.suggestion)),
    spoken: label,
    icon: WARNING_ICON,
    command: { id: COMMANDS.serverShowLog, title: 'Show Log' },
  };
  return [node];
}

function descriptionText(description: string | undefined): string | undefined {
  return description === undefined || description === '' ? undefined : `\n${cleanText(description)}`;
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
