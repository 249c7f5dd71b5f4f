import type { ServerDefinition } from '../model/server.ts';
import type { Consent, StartGrants, StartQuestion } from '../ports.ts';
import { isMcplWidened } from './mcplGrants.ts';

type StartDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask'; readonly reason: Exclude<StartQuestion['reason'], 'workspaceFiles'> };

/**
 * Whether a server may start without a prompt. User servers need none. Workspace or extension servers, and rights
 * beyond the defaults, are asked about once, and again after any change.
 */
export function decideStart(
  definition: ServerDefinition,
  consent: Consent | undefined,
  hasOlderConsent: boolean,
): StartDecision {
  if (consent === undefined) {
    const { definedBy, workspaceAutoApprove, workspaceGrants } = definition;
    const grantsNothing = workspaceAutoApprove.length === 0 && workspaceGrants.length === 0;
    if (definedBy === 'user' && grantsNothing) return { kind: 'allow' };
    return { kind: 'ask', reason: hasOlderConsent ? 'changed' : 'first' };
  }
  const granted = new Set(consent.grants.autoApprove);
  const widened =
    definition.workspaceAutoApprove.some((tool) => !granted.has(tool)) || isMcplWidened(definition, consent);
  return widened ? { kind: 'ask', reason: 'widened' } : { kind: 'allow' };
}

/** The tools that models may call without a prompt. Those of workspace settings only count if they were allowed. */
export function effectiveAutoApprove(definition: ServerDefinition, consent: Consent | undefined): readonly string[] {
  const fromWorkspace = new Set(definition.workspaceAutoApprove);
  const granted = new Set(consent?.grants.autoApprove ?? []);
  return definition.autoApprove.filter((tool) => !fromWorkspace.has(tool) || granted.has(tool));
}

export function grantsOf(definition: ServerDefinition): StartGrants {
  return { autoApprove: [...definition.workspaceAutoApprove].sort(), others: [...definition.workspaceGrants].sort() };
}
