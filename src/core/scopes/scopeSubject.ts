import { cleanLine, cleanText } from '../base/cleanText.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { ScopeAction, ScopeSubject } from '../model/approval.ts';
import type { ScopeClaim, ScopeTarget } from '../model/scope.ts';
import { isDeeperThan } from '../rpc/nesting.ts';
import type { Judgement, ScopeMatter } from './paths/scopeEngine.ts';

const LONGEST_LABEL = 1_000;
const LONGEST_PAYLOAD = 4_000;
const DEEPEST_INDENTED = 16;

/** Words of a payload's `mode` that a prompt may use as its own; any other is only shown with the payload. */
const MODES: readonly string[] = ['read', 'write', 'append', 'create', 'delete', 'move', 'rename', 'list', 'execute'];

type Call = Extract<ScopeMatter, { kind: 'call' }>;

/** The scope that is sent beside a tool's arguments (MCPL §7.7), made of what the host computed. */
export function scopeOfCall(
  { tool, args }: Call,
  targets: readonly ScopeTarget[],
  digest: (text: string) => string,
): ScopeClaim {
  const [first, ...others] = targets;
  // Nothing names what it touches: then it is this call, and no other.
  if (first === undefined)
    return { label: `${tool.name}(${digest(canonicalJson(args)).slice(0, 12)})`, payload: undefined };
  const payload: JsonObject = {
    [first.kind]: first.real,
    ...(others.length > 0 && { targets: targets.map(({ real }) => real) }),
  };
  return { label: first.real, payload };
}

/** What a person is shown. A secret of the settings may be in anything that a server says. */
export function subjectOf(matter: ScopeMatter, judged: Judgement, redact: (text: string) => string): ScopeSubject {
  const claim = matter.kind === 'elevate' ? matter.claim : undefined;
  const payload = claim?.payload ?? (matter.kind === 'call' ? matter.args : undefined);
  return {
    kind: 'scope',
    action: actionOf(matter),
    label: claim === undefined ? undefined : cleanLine(redact(claim.label), LONGEST_LABEL),
    payload: payload === undefined ? undefined : cleanText(redact(textOf(payload)), LONGEST_PAYLOAD),
    targets: judged.targets.map((target) => ({
      ...target,
      written: cleanLine(redact(target.written), LONGEST_LABEL),
      real: redact(target.real),
    })),
    why: judged.verdict === 'ask' ? judged.doubt : 'unlisted',
  };
}

function actionOf(matter: ScopeMatter): ScopeAction {
  if (matter.kind === 'call') return { kind: 'call', tool: matter.tool.name };
  const mode = matter.claim.payload?.['mode'];
  return { kind: 'elevate', mode: typeof mode === 'string' && MODES.includes(mode) ? mode : undefined };
}

function textOf(payload: JsonObject): string {
  // Indented, what nests deep would be a thousand times as long.
  return JSON.stringify(payload, undefined, isDeeperThan(payload, DEEPEST_INDENTED) ? undefined : 2);
}
