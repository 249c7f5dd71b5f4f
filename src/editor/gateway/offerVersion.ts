import { canonicalJson, type Ids, type Json, type ServerSnapshot } from '../../core/index.ts';

/** Written as text at once: all of 10,000 tools took 120 ms. */
const PART = 500;

/**
 * A short name for what a server offers now: equal as long as the editor, which keeps tools, prompts and templates, has
 * nothing to read again. Resources come and go, and it reads them when they are looked for.
 */
export async function offerVersion(server: ServerSnapshot, ids: Pick<Ids, 'sha256'>): Promise<string> {
  const { tools, prompts, templates, capabilities, mcpl } = server;
  const offered = tools.filter((tool) => tool.offered);
  const all: readonly Json[] = [
    [offered.length, prompts.length, templates.length],
    // It asks for them once.
    capabilities,
    mcpl?.sets.filter(({ state }) => state === 'enabled').map(({ set }) => set.name) ?? [],
    ...offered.map(({ tool, autoApproved }) => ({ definition: tool.raw, autoApproved })),
    ...prompts.map(({ raw }) => raw),
    ...templates.map(({ raw }) => raw),
  ];
  let version = '';
  for (let from = 0; from < all.length; from += PART) {
    if (from > 0) await new Promise((resolve) => void setImmediate(resolve));
    version = ids.sha256(version + canonicalJson(all.slice(from, from + PART)));
  }
  return version.slice(0, 12);
}
