import { cleanLine, isRunning, type ServerSnapshot } from '../../core/index.ts';

/** A row of *Browse Resources*. */
export interface ResourceItem {
  readonly kind: 'resource' | 'template' | 'problem';
  readonly server: string;
  /** The URI or URI template. */
  readonly target: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

interface ResourceGroup {
  readonly server: string;
  readonly items: readonly ResourceItem[];
}

/** Resources, templates and failed lists of running servers, grouped by server. */
export function resourceGroups(servers: readonly ServerSnapshot[], only?: string): readonly ResourceGroup[] {
  return servers
    .filter(({ id, state }) => isRunning(state) && (only === undefined || id === only))
    .map((server) => ({ server: server.id, items: itemsOf(server) }))
    .filter(({ items }) => items.length > 0);
}

function itemsOf({ id: server, resources, templates, listings }: ServerSnapshot): readonly ResourceItem[] {
  const { resources: listing } = listings;
  const problems: readonly ResourceItem[] =
    listing.kind === 'failed'
      ? [
          {
            kind: 'problem',
            server,
            target: '',
            label: 'The list cannot be read',
            description: '',
            detail: cleanLine(listing.error.message, 200),
          },
        ]
      : [];
  return [
    ...problems,
    ...resources.map(({ uri, name, title, description, mimeType }): ResourceItem => ({
      kind: 'resource',
      server,
      target: uri,
      label: labelOf(title ?? name, uri),
      description: cleanLine(uri, 200),
      detail: cleanLine([mimeType ?? '', description ?? ''].filter((text) => text !== '').join(' · '), 200),
    })),
    ...templates.map(({ uriTemplate, name, title, description }): ResourceItem => ({
      kind: 'template',
      server,
      target: uriTemplate,
      label: `${labelOf(title ?? name, uriTemplate)}…`,
      description: cleanLine(uriTemplate, 200),
      detail: cleanLine(description ?? '', 200),
    })),
  ];
}

function labelOf(name: string, uri: string): string {
  return cleanLine(name, 100) || cleanLine(uri, 100);
}
