import { canonicalJson, type Ids, type ServerSnapshot } from '../core/index.ts';

/**
 * A short name for what a server offers now: equal as long as the editor, which keeps tools, prompts and templates, has
 * nothing to read again. Resources come and go, and it reads them when they are looked for.
 */
export function offerVersion(server: ServerSnapshot, ids: Pick<Ids, 'sha256'>): string {
  const { tools, prompts, templates, capabilities, mcpl } = server;
  const offered = {
    tools: tools
      .filter((tool) => tool.offered)
      .map(({ tool, autoApproved }) => ({ definition: tool.raw, autoApproved })),
    prompts: prompts.map(({ raw }) => raw),
    templates: templates.map(({ raw }) => raw),
    // It asks for them once.
    capabilities,
    sets: mcpl?.sets.filter(({ state }) => state === 'enabled').map(({ set }) => set.name) ?? [],
  };
  return ids.sha256(canonicalJson(offered)).slice(0, 12);
}
