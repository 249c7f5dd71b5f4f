import { builtExtension } from './buildPaths.ts';
import { LARGE, lineagePageFiles, lineageVariants, WHOLE } from './lineageBrowser.ts';
import type { Measure, Metrics } from './measure.ts';

const repeat: Measure['repeat'] = async (order) => {
  const files = lineagePageFiles(builtExtension);
  const metrics: Record<string, Metrics> = {};
  for (const variant of order) metrics[variant] = (await lineageVariants[variant]?.(files)) ?? {};
  return metrics;
};

/** The shipped page in a browser, compared with drawing everything at once. */
export const lineageMeasure = (): Measure => ({
  id: 'lineage',
  title: `The page of ${LARGE} checkpoints, beside a drawing of ${WHOLE}`,
  variants: Object.keys(lineageVariants),
  metrics: [
    { key: 'paint', title: 'first paint ms' },
    { key: 'paintWork', title: 'work for it ms' },
    { key: 'append', title: 'work for one more ms' },
    { key: 'appendWall', title: 'until it is seen ms' },
    { key: 'dropped', title: 'dropped frames of 240, CPU / 4' },
    { key: 'waiting', title: 'frames with rows to come' },
    { key: 'each', title: 'work each frame ms, CPU / 4' },
  ],
  compared: ['paint', 'append'].map((metric) => ({ metric, to: 'svg' })),
  targets: [
    { id: '4b', what: 'dropped frames of 240 at a quarter of the CPU', metric: 'dropped', of: 'page', atMost: 2 },
    { id: '4b', what: 'frames of 240 with rows to come', metric: 'waiting', of: 'page', atMost: 2 },
    { id: '4b', what: 'first paint / the whole drawing', metric: 'paint', of: 'page', to: 'svg', atMost: 0.1 },
    { id: '4b', what: 'one more / drawing all again', metric: 'append', of: 'page', to: 'svg', atMost: 0.05 },
  ],
  repetitions: 5,
  repeat,
});
