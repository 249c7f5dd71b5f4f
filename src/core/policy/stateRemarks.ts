import type { LineageSummary } from '../model/lineage.ts';

const MOST_NAMED = 5;

/**
 * What a server that starts in another form than before gets to see: states are kept under its name, whoever runs under
 * it. A sentence for the question whether it may start.
 */
export function stateRemarks(lineages: readonly LineageSummary[], server: string): readonly string[] {
  const own = lineages.filter((lineage) => lineage.server === server && lineage.count > 0);
  if (own.length === 0) return [];
  const named = own.slice(0, MOST_NAMED).map(({ featureSet, count }) => {
    const what = `${count} ${count === 1 ? 'checkpoint' : 'checkpoints'}`;
    return featureSet === '' ? `${what} of no feature set` : `${what} of ${featureSet}`;
  });
  const more = own.length > MOST_NAMED ? [`and ${own.length - MOST_NAMED} more feature sets`] : [];
  return [`It goes on with the state that was kept for "${server}": ${[...named, ...more].join(', ')}.`];
}
