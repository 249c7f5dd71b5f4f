import {
  ALL,
  CPU,
  OURS,
  P50,
  P99,
  RATE,
  type Recipe,
  RSS,
  target,
  toFloor,
  toMeasure,
  toSdk,
  toSdk2,
} from './recipe.ts';
import { firstContactRecipes } from './firstContactRecipes.ts';
import { gatewayRecipes } from './gatewayRecipes.ts';
import { growthMeasures } from './growthRecipes.ts';
import type { Job } from './job.ts';
import { lineageRecipes } from './lineageRecipes.ts';
import { mcplRecipes } from './mcplRecipes.ts';
import type { Measure, Metric, Target } from './measure.ts';
import { patchRecipes } from './patchRecipes.ts';
import { redactRecipes } from './redactRecipes.ts';
import { scopeRecipes } from './scopeRecipes.ts';
import { stateRecipes } from './stateRecipes.ts';
import { storeRecipes } from './storeRecipes.ts';

const bigResult = (tool: 'text' | 'objects', megabytes: 1 | 10, targets: readonly Target[]): Recipe => ({
  id: 'big',
  title: `Large results: ${megabytes} MB of ${tool}`,
  variants: ALL,
  metrics: [{ key: 'rate', title: 'MB each second' }, RSS],
  compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate'), toSdk('rss')],
  targets,
  repetitions: 5,
  cores: 'two',
  procedure: 'bigResult',
  params: { tool, bytes: megabytes * 1e6, calls: megabytes === 1 ? 40 : 8 },
});

const growingResult = (tool: 'text' | 'objects'): Recipe => ({
  id: 'big',
  title: `Large results: a megabyte of 50 beside a megabyte alone (${tool})`,
  variants: OURS,
  metrics: [
    { key: 'small', title: 'ms a MB at 1 MB' },
    { key: 'large', title: 'ms a MB at 50 MB' },
    { key: 'ratio', title: 'ratio' },
  ],
  compared: [toFloor('ratio')],
  targets: [
    // Hundreds of thousands of objects cost the garbage collector more than a few, for any parser.
    tool === 'text'
      ? target('1e', 'a MB of 50 MB of text / one of 1 MB', 'ratio', { atMost: 1.3 })
      : target('1e', 'a MB of 50 MB of objects / one of 1 MB, / floor', 'ratio', { to: 'floor', atMost: 1.3 }),
  ],
  repetitions: 3,
  cores: 'two',
  procedure: 'growingResult',
  params: { tool, small: 40, large: 4 },
});

const httpRoundTrip = (what: string, path: string): Recipe => ({
  id: 'http',
  title: `Round trip of one tool call at a time over HTTP, answered with ${what}, both ends on one core`,
  variants: ALL,
  metrics: [P50, P99, CPU],
  compared: [toSdk('p50'), toSdk2('p50'), toFloor('p50'), toSdk('cpu')],
  targets: [target('1h', `HTTP round trip p50 / SDK (${what})`, 'p50', { to: 'sdk1', atMost: 0.8 })],
  repetitions: 9,
  cores: 'one',
  procedure: 'roundTrip',
  params: { path, calls: 3_000, warmUp: 1_000 },
});

const STALLS: readonly Metric[] = [
  { key: 'stall', title: 'stall p99.9 ms' },
  { key: 'longest', title: 'longest ms' },
  { key: 'turn', title: 'longest work ms' },
  { key: 'memory', title: 'memory +MB' },
  { key: 'seconds', title: 'seconds' },
];

/** The longest message that the host accepts. */
const CAP_MB = 64;
/** One read of a pipe, plus the uncertainty of a value that the kernel counts in pages. */
const DOUBT_MB = 8;

const hostile = (title: string, params: Job['params'], atMost: number): Recipe => ({
  id: 'hostile',
  title: `Hostile input: ${title}`,
  variants: ['peer', 'host'],
  metrics: [...STALLS, { key: 'alive', title: 'next call answered' }],
  targets: [
    target('1g', `${title}: memory +MB`, 'memory', { atMost }),
    target('1g', `${title}: the next call is answered`, 'alive', { atLeast: 1 }),
  ],
  repetitions: 3,
  cores: 'two',
  procedure: 'attacked',
  params,
});

/** The host with a plain server, compared with an audit on disk, and with scopes. */
const WITH_POLICY = ['floor', 'peer', 'host', 'audited', 'whole', 'sdk1', 'sdk2'] as const;

const recipes = (dose: number): readonly Recipe[] => {
  const some = (count: number): number => Math.ceil(count * dose);
  return [
    {
      id: 'rt',
      title: 'Round trip of one tool call at a time, both ends on one core',
      variants: WITH_POLICY,
      metrics: [P50, P99, CPU, { key: 'thread', title: "of it the thread's" }],
      compared: [toSdk('p50'), toSdk2('p50'), toFloor('p50'), toSdk('cpu'), toSdk('thread')],
      targets: [
        target('1a', 'round trip p50 / SDK', 'p50', { to: 'sdk1', atMost: 0.88 }),
        target('1a', 'round trip p50 / floor', 'p50', { to: 'floor', atMost: 1.15 }),
        target('1a', 'CPU of a call / SDK', 'cpu', { to: 'sdk1', atMost: 0.8 }),
      ],
      repetitions: 9,
      cores: 'one',
      procedure: 'roundTrip',
      params: { calls: 10_000, warmUp: 1_000 },
    },
    httpRoundTrip('JSON', '/json'),
    httpRoundTrip('a stream of events', '/events'),
    {
      id: 'pipe',
      title: 'Calls of 200 bytes, 64 in flight',
      // Without `whole`, which measures the file system: three lookups per call.
      variants: WITH_POLICY.filter((variant) => variant !== 'whole'),
      metrics: [RATE, CPU, RSS, { key: 'heap', title: 'heap MB' }, { key: 'growth', title: 'heap +MB' }],
      compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate')],
      targets: [target('1b', '64 in flight / SDK', 'rate', { to: 'sdk1', atLeast: 1.8 })],
      repetitions: 7,
      cores: 'two',
      procedure: 'pipelined',
      params: { calls: some(100_000), warmUp: some(10_000) },
    },
    {
      id: 'notify',
      title: 'Inbound notifications of 200 bytes',
      variants: ALL,
      metrics: [RATE, CPU, RSS],
      compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate')],
      targets: [target('1d', 'inbound notifications / SDK', 'rate', { to: 'sdk1', atLeast: 4.5 })],
      repetitions: 7,
      cores: 'two',
      procedure: 'notifications',
      params: { count: some(200_000), warmUp: some(20_000) },
    },
    {
      id: 'progress',
      title: 'Progress notifications, each told to the caller',
      variants: ALL,
      metrics: [RATE, CPU, RSS],
      compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate')],
      targets: [],
      repetitions: 5,
      cores: 'two',
      procedure: 'progress',
      params: { count: some(200_000), warmUp: some(20_000) },
    },
    {
      id: 'inbound',
      title: 'Inbound requests, each answered',
      variants: ALL,
      metrics: [RATE, CPU, RSS],
      compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate')],
      targets: [],
      repetitions: 5,
      cores: 'two',
      procedure: 'pings',
      params: { count: some(100_000), warmUp: some(10_000) },
    },
    bigResult('text', 1, []),
    bigResult('objects', 1, []),
    bigResult('text', 10, [
      target('1e', '10 MB of text / SDK', 'rate', { to: 'sdk1', atLeast: 8 }),
      target('1e', '10 MB of text: peak memory / SDK', 'rss', { to: 'sdk1', atMost: 0.6 }),
    ]),
    bigResult('objects', 10, [
      target('1e', '10 MB of objects / SDK', 'rate', { to: 'sdk1', atLeast: 5 }),
      target('1e', '10 MB of objects: peak memory / SDK', 'rss', { to: 'sdk1', atMost: 0.6 }),
    ]),
    growingResult('text'),
    growingResult('objects'),
    {
      id: 'flood',
      title: `A flood of ${some(300_000)} notifications, 20 µs of work for each`,
      variants: ALL,
      metrics: [...STALLS, { key: 'heard', title: 'heard' }],
      targets: [
        target('1f', 'flood: stall p99.9 ms', 'stall', { atMost: 16 }),
        target('1f', 'flood: memory +MB', 'memory', { atMost: 64 }),
      ],
      repetitions: 3,
      cores: 'two',
      procedure: 'overwhelmed',
      params: { count: some(300_000), warmUp: 2_000, handler: 20 },
    },
    hostile('a line that does not end (256 MB)', { tool: 'endless', bytes: 256 * 1024 * 1024 }, CAP_MB + DOUBT_MB),
    hostile('a million lines of noise', { tool: 'noise', count: some(1_000_000) }, CAP_MB),
    hostile('200 000 levels deep', { tool: 'deep', count: 5, depth: 100_000 }, CAP_MB),
  ];
};

/** The measures in a separate process per variant. `dose` scales counts that only reduce noise. */
export const clientMeasures = (dose: number, nodeFlags: readonly string[]): readonly Measure[] => [
  ...[
    ...recipes(dose),
    ...gatewayRecipes(dose),
    ...redactRecipes(dose),
    ...firstContactRecipes(dose),
    ...mcplRecipes(dose),
    ...scopeRecipes(),
    ...patchRecipes(),
    ...lineageRecipes(),
    ...stateRecipes(dose),
    ...storeRecipes(dose),
  ].map((recipe) => toMeasure(recipe, nodeFlags)),
  ...growthMeasures(dose < 1, nodeFlags),
];
