import { NO_CANCELLATION } from '../../../../../src/core/base/cancellation.ts';
import type { JsonObject } from '../../../../../src/core/base/json.ts';
import type { Tool } from '../../../../../src/core/model/catalog.ts';
import type { FileNames } from '../../../../../src/core/ports.ts';
import type { ScopeContext } from '../../../../../src/core/scopes/paths/computed.ts';
import { type Judgement, ScopeEngine, type ScopeMatter } from '../../../../../src/core/scopes/paths/scopeEngine.ts';
import { toolWith } from './renderScope.ts';

export interface Lists {
  readonly whitelist?: readonly string[];
  readonly blacklist?: readonly string[];
}

/** Decisions by lists: `allow`, `deny`, `deny: why`, or `ask why: targets`. */
export interface Decider {
  call(args: JsonObject, schema?: JsonObject): Promise<string>;
  elevate(label: string, payload?: JsonObject): Promise<string>;
}

export function decider(files: FileNames, context: ScopeContext, { whitelist = [], blacklist = [] }: Lists): Decider {
  const engine = new ScopeEngine(files);
  const settings = { lists: { set: { whitelist, blacklist, isBroken: false } }, adapters: {} };
  const judge = async (matter: ScopeMatter): Promise<string> =>
    shown(await engine.judge({ matter, featureSet: 'set', settings, context }, NO_CANCELLATION));
  return {
    call: (args, schema = {}) => judge({ kind: 'call', tool: toolWith(schema) as Tool, args, adapter: undefined }),
    elevate: (label, payload) => judge({ kind: 'elevate', claim: { label, payload } }),
  };
}

function shown(judged: Judgement): string {
  if (judged.verdict === 'allow') return 'allow';
  if (judged.verdict === 'deny') return judged.by === 'list' ? 'deny' : `deny: ${judged.why}`;
  return [`ask ${judged.doubt}`, ...judged.targets.map(({ from, real }) => `${from} ${real}`)].join(', ');
}
