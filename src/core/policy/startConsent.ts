import type { AuthSettings } from '../model/auth.ts';
import type { ConnectionDefinition, ServerDefinition } from '../model/server.ts';
import type { Consent, StartGrants, StartQuestion } from '../ports.ts';
import { isMcplWidened } from './mcplGrants.ts';
import { named, remarksOnMcpl } from './mcplRemarks.ts';

export type StartDecision =
  { readonly kind: 'allow' } | { readonly kind: 'ask'; readonly reason: StartQuestion['reason'] };

/**
 * Whether a server may start without asking. What the user's own settings define needs no question; what the workspace
 * or another extension defines or grants beyond the defaults is asked once, and again as soon as it is anything else than what was allowed.
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

/** The tools that models may call without asking: what workspace settings say counts only as far as it was allowed. */
export function effectiveAutoApprove(definition: ServerDefinition, consent: Consent | undefined): readonly string[] {
  const fromWorkspace = new Set(definition.workspaceAutoApprove);
  const granted = new Set(consent?.grants.autoApprove ?? []);
  return definition.autoApprove.filter((tool) => !fromWorkspace.has(tool) || granted.has(tool));
}

export function grantsOf(definition: ServerDefinition): StartGrants {
  return { autoApprove: [...definition.workspaceAutoApprove].sort(), others: [...definition.workspaceGrants].sort() };
}

/** What a question must say beyond the command line: one sentence for each thing that starting grants. */
export function remarksOn(definition: ServerDefinition): readonly string[] {
  const remarks: string[] = [];
  const { definedBy, contributor } = definition;
  if (definedBy === 'workspace' && contributor !== undefined)
    remarks.push(`The extension ${named(contributor.name)} (${contributor.id}) contributes a part of it.`);
  if (definition.workspaceAutoApprove.length > 0)
    remarks.push(
      `Models may call without asking: ${[...definition.workspaceAutoApprove].sort().map(named).join(', ')}.`,
    );
  remarks.push(...remarksOnMcpl(definition));
  if (definition.connection.kind === 'stdio') {
    const names = Object.keys(definition.connection.env).sort();
    if (names.length > 0) remarks.push(`It sets environment variables: ${names.join(', ')}.`);
    if (definition.connection.envFile !== undefined)
      remarks.push(`It reads environment variables from ${definition.connection.envFile}.`);
  } else {
    const names = Object.keys(definition.connection.headers).sort();
    if (names.length > 0) remarks.push(`It sends the headers: ${names.join(', ')}.`);
    if (definition.connection.auth !== undefined) remarks.push(...remarksOnSignIn(definition.connection.auth));
  }
  const lent = [...definition.lentByUser].sort();
  if (lent.length > 0) remarks.push(`Your own settings give it: ${lent.join(', ')}.`);
  return [...remarks, ...remarksOnVariables(definition.connection)];
}

/** By which way it signs in, and to whom what it signs in with goes. */
function remarksOnSignIn({ flow, issuer, identityProvider }: AuthSettings): readonly string[] {
  const addresses = [issuer, identityProvider?.tokenEndpoint ?? identityProvider?.issuer];
  const named = addresses.filter((address) => address !== undefined);
  return [
    ...(flow === 'auto' || flow === 'off' ? [] : [`It signs in without asking, by the flow "${flow}".`]),
    ...(named.length > 0 ? [`What it signs in with is sent to: ${named.join(', ')}.`] : []),
  ];
}

function variableNames(connection: ConnectionDefinition, kind: 'input' | 'env'): readonly string[] {
  const texts =
    connection.kind === 'stdio'
      ? [connection.command, ...connection.args, ...Object.values(connection.env), connection.cwd ?? '']
      : [connection.url, ...Object.values(connection.headers), JSON.stringify(connection.auth ?? {})];
  const pattern = new RegExp(`\\$\\{${kind}:([^}]*)\\}`, 'g');
  return [...new Set(texts.flatMap((text) => [...text.matchAll(pattern)].map((match) => match[1] ?? '')))].sort();
}

/** Values that a question does not show and that a server would get. */
function remarksOnVariables(connection: ConnectionDefinition): readonly string[] {
  const inputs = variableNames(connection, 'input');
  // A process has the whole environment in any case.
  const env = connection.kind === 'remote' ? variableNames(connection, 'env') : [];
  return [
    ...(inputs.length > 0 ? [`It is given your answers to the inputs: ${inputs.join(', ')}.`] : []),
    ...(env.length > 0 ? [`It is given your environment variables: ${env.join(', ')}.`] : []),
  ];
}
