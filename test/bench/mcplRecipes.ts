import { CPU, RATE, type Recipe, RSS, target, toFloor, toSdk, toSdk2 } from './recipe.ts';
import { MAX_EVENTS } from './clients/host.ts';

/** The space for new objects may still grow by this much. Growth with the events would be larger. */
const YOUNG_MB = 64;
/** The variation between garbage collections. */
const DOUBT_MB = 4;

const RATE_OF_FLOOD = 1_000;

/** Messages that MCPL servers send, and the cost of turns with hooks. */
export const mcplRecipes = (dose: number): readonly Recipe[] => {
  const some = (count: number): number => Math.ceil(count * dose);
  const isFull = dose >= 1;
  return [
    {
      id: 'push',
      title: 'Inbound push events, each answered',
      variants: ['floor', 'peer', 'checked', 'host', 'sdk1', 'sdk2'],
      metrics: [RATE, CPU, RSS],
      compared: [toSdk('rate'), toSdk2('rate'), toFloor('rate')],
      targets: [
        target('1c', 'push events, transport alone / SDK', 'rate', { of: 'peer', to: 'sdk1', atLeast: 2.8 }),
        target('1c', 'push events, checked / SDK', 'rate', { of: 'checked', to: 'sdk1', atLeast: 1.8 }),
      ],
      repetitions: 7,
      cores: 'two',
      procedure: 'pushes',
      params: { server: 'mcpl', count: some(100_000), warmUp: some(10_000) },
    },
    {
      id: 'push',
      title: 'Inbound push events, each on disk with its audit record before it is answered',
      variants: ['sqlite', 'stored'],
      metrics: [RATE, CPU, RSS],
      compared: [{ metric: 'rate', to: 'sqlite' }],
      targets: [
        target('1c', 'push events, stored / bare node:sqlite', 'rate', { of: 'stored', to: 'sqlite', atLeast: 0.5 }),
      ],
      repetitions: 5,
      cores: 'two',
      procedure: 'pushes',
      params: { server: 'mcpl', count: some(50_000), warmUp: some(5_000) },
    },
    {
      id: 'hooks',
      title: 'Turns with no server, one that answers at once, one and twenty that answer after 20 ms',
      variants: ['none', 'ready', 'one', 'twenty'],
      metrics: [
        { key: 'p50', title: 'p50 ms' },
        { key: 'p99', title: 'p99 ms' },
        CPU,
        { key: 'spread', title: 'asked within ms' },
        { key: 'together', title: 'all asked first' },
      ],
      compared: [{ metric: 'p50', to: 'one' }],
      targets: [
        target('hooks', 'a turn with 20 servers / with one', 'p50', { of: 'twenty', to: 'one', atMost: 1.3 }),
        target('hooks', 'turns with all 20 asked before one answers', 'together', { of: 'twenty', atLeast: 0.9 }),
      ],
      repetitions: 5,
      cores: 'two',
      procedure: 'hooks',
      params: { turns: some(100), warmUp: 10 },
    },
    {
      id: 'pushFlood',
      title: `${RATE_OF_FLOOD} push events a second from three servers, on disk, beside the same host in peace`,
      variants: ['quiet', 'flood'],
      metrics: [
        { key: 'stall', title: 'stall p99 ms' },
        { key: 'longest', title: 'longest ms' },
        { key: 'call', title: 'other call p99 ms' },
        { key: 'busy', title: 'cores used' },
        { key: 'grown', title: 'memory +MB' },
        { key: 'heap', title: 'heap +MB' },
        { key: 'accepted', title: 'accepted' },
        { key: 'wrong', title: 'not, or twice' },
        { key: 'inbox', title: 'inbox' },
      ],
      compared: [{ metric: 'stall', to: 'quiet' }],
      targets: [
        target('pushFlood', 'push flood: answers that are missing, wrong or second', 'wrong', {
          of: 'flood',
          atMost: 0,
        }),
        target('pushFlood', 'push flood: memory +MB once it is under way', 'grown', { of: 'flood', atMost: YOUNG_MB }),
        target('pushFlood', 'push flood: heap +MB once it is under way', 'heap', { of: 'flood', atMost: DOUBT_MB }),
        target('pushFlood', 'push flood: events in the inbox', 'inbox', { of: 'flood', atMost: MAX_EVENTS }),
        target('pushFlood', 'push flood: stall p99 ms', 'stall', { of: 'flood', atMost: 16 }),
      ],
      repetitions: 2,
      cores: 'two',
      procedure: 'pushFlood',
      params: { rate: RATE_OF_FLOOD, seconds: isFull ? 60 : 5, settling: isFull ? 10 : 1 },
    },
  ];
};
