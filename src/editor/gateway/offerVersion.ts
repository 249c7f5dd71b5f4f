import { canonicalJson, type Ids, type Json, type ServerSnapshot } from '../../core/index.ts';

/** Maximum tools serialized at once: all of 10,000 took 120 ms. */
const PART = 500;

/**
 * A short version of a server's offer. It changes only if the editor must read something again: tools, prompts or
 * templates. Resources are read on demand.
 */
export async function offerVersion(server: ServerSnapshot, ids: Pick<Ids, 'sha256'>): Promise<string> {
  const { tools, prompts, templates, capabilities, mcpl } = server;
  const offered = tools.filter((tool) => tool.offered);
  const all: readonly Json[] = [
    [offered.length, prompts.length, templates.length],
    // The editor reads capabilities only once.
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
