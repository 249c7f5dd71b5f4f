import type { StateUpdate } from '../../src/core/index.ts';

export const COUNTERS = 'counters';

/** Interval of complete states. */
const EVERY = 50;
/** Large enough to cause snapshots. */
const PAD = 'x'.repeat(4_000);

export const counterName = (prefix: string, featureSet: string, step: number): string =>
  `${prefix}.${featureSet}.${step}`;

export const counterState = (prefix: string, step: number): string =>
  JSON.stringify({
    by: prefix,
    steps: Array.from({ length: (step % EVERY) + 1 }, (_, i) => step - (step % EVERY) + i),
    pad: PAD,
  });

/** One step of a counting process. Its state contains everything it has reported. */
export const countUpdate = (
  featureSet: string,
  prefix: string,
  step: number,
  base: number | undefined,
): StateUpdate => ({
  server: COUNTERS,
  featureSet,
  conversation: prefix,
  keeper: 'host',
  checkpoint: counterName(prefix, featureSet, step),
  parent: step % EVERY === 0 ? null : counterName(prefix, featureSet, step - 1),
  base,
  cause: 'call',
  body:
    step % EVERY === 0
      ? { kind: 'data', text: counterState(prefix, step) }
      : {
          kind: 'patch',
          text: JSON.stringify([
            { op: 'test', path: '/steps/0', value: step - (step % EVERY) },
            { op: 'add', path: '/steps/-', value: step },
            { op: 'replace', path: '/pad', value: PAD },
          ]),
        },
  at: step,
  tool: 'count',
  args: undefined,
});
