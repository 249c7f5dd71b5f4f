import { quoted } from '../base/quotedText.ts';
import type { LineageSummary } from '../model/lineage.ts';

/**
 * What a server that starts in another form than before gets to see: states are kept under its name, whoever runs under
 * it. A sentence for the question whether it may start.
 */
export function stateRemarks(lineages: readonly LineageSummary[], server: string): readonly string[] {
  const own = lineages.filter((lineage) => lineage.server === server && lineage.count > 0);
  if (own.length === 0) return [];
  const named = own.map(({ featureSet, count }) => {
    const what = `${count} ${count === 1 ? 'checkpoint' : 'checkpoints'}`;
    return featureSet === '' ? `${what} of no feature set` : `${what} of ${quoted(featureSet)}`;
  });
  return [`It continues with the state that was kept for ${quoted(server)}: ${named.join(', ')}.`];
}
