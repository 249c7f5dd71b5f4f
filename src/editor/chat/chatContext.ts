import type { OpenInference, PlacedContext } from '../../core/index.ts';

/** The context at one position, with its servers. */
export interface KeptContext extends PlacedContext {
  readonly servers: readonly string[];
}

/**
 * The context of earlier rounds of this turn that still applies next to the new one. A server that adds nothing in a
 * later round keeps its context; one that adds some replaces it.
 */
export function keptContext(
  before: readonly KeptContext[],
  { context, injectedBy }: Pick<OpenInference, 'context' | 'injectedBy'>,
): readonly KeptContext[] {
  const added = context.map((placed): KeptContext => {
    const here = injectedBy.filter(({ position }) => position === placed.position);
    return { ...placed, servers: [...new Set(here.map(({ server }) => server))] };
  });
  const isRenewed = ({ position, servers }: KeptContext): boolean =>
    added.some((each) => each.position === position && servers.every((server) => each.servers.includes(server)));
  return [...before.filter((each) => !isRenewed(each)), ...added];
}

/** A conversation, generic over the message type. */
export interface Conversation<T> {
  /** Earlier turns and attachments. */
  readonly before: readonly T[];
  /** The user's message of this turn. */
  readonly user: T;
  /** The model's calls and their results since then. */
  readonly after: readonly T[];
}

/** There is no system role: `system` comes first, and the others go around the user's message (MCPL §10.4). */
export function placed<T>(
  { before, user, after }: Conversation<T>,
  context: readonly KeptContext[],
  messageOf: (placed: PlacedContext) => T,
): readonly T[] {
  const at = (position: PlacedContext['position']): readonly T[] =>
    context.filter((each) => each.position === position).map(messageOf);
  return [...at('system'), ...before, ...at('beforeUser'), user, ...at('afterUser'), ...after];
}
