import { canonicalJson, type Ids, type OfferedTool } from '../core/index.ts';

/** A short name for what a server offers now: equal as long as the editor has nothing to read again. */
export function offerVersion(tools: readonly OfferedTool[], ids: Pick<Ids, 'sha256'>): string {
  const offered = tools
    .filter((tool) => tool.offered)
    .map(({ tool, autoApproved }) => ({ definition: tool.raw, autoApproved }));
  return ids.sha256(canonicalJson(offered)).slice(0, 12);
}
