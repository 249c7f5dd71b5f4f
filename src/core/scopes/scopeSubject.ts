import { cleanLine, cleanText } from '../base/cleanText.ts';
import { canonicalJson, type JsonObject } from '../base/json.ts';
import type { ScopeAction, ScopeSubject } from '../model/approval.ts';
import type { ScopeClaim, ScopeTarget } from '../model/scope.ts';
import { isDeeperThan } from '../rpc/nesting.ts';
import type { Judgement, ScopeMatter } from './paths/scopeEngine.ts';

const LONGEST_LABEL = 1_000;
const LONGEST_PAYLOAD = 4_000;
const DEEPEST_INDENTED = 16;

/** Values of a payload's `mode` that a prompt may use as a verb. Others only appear in the payload. */
const MODES: readonly string[] = ['read', 'write', 'append', 'create', 'delete', 'move', 'rename', 'list', 'execute'];

type Call = Extract<ScopeMatter, { kind: 'call' }>;

/** The scope that the host sends with a tool call (MCPL §7.7), from the targets it computed. */
export function scopeOfCall(
  { tool, args }: Call,
  targets: readonly ScopeTarget[],
  digest: (text: string) => string,
): ScopeClaim {
  const [first, ...others] = targets;
  // Without known targets, the scope is this exact call.
  if (first === undefined)
    return { label: `${tool.name}(${digest(canonicalJson(args)).slice(0, 12)})`, payload: undefined };
  const payload: JsonObject = {
    [first.kind]: first.real,
    ...(others.length > 0 && { targets: targets.map(({ real }) => real) }),
  };
  return { label: first.real, payload };
}

/** The text that the user sees. Any text from a server may contain a secret from settings. */
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
  // Deeply nested JSON would get a thousand times longer with indentation.
  return JSON.stringify(payload, undefined, isDeeperThan(payload, DEEPEST_INDENTED) ? undefined : 2);
}
