import type { OpenInference, PlacedContext } from '../../core/index.ts';

/** What servers put into one place, and who they were. */
export interface KeptContext extends PlacedContext {
  readonly servers: readonly string[];
}

/**
 * What of the context of this turn's earlier rounds still stands beside what servers gave for this one. A server that
 * adds nothing while the model goes on by itself takes nothing back; one that adds anew has said what holds now.
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

/** One conversation, in whatever form its messages are. */
export interface Conversation<T> {
  /** Earlier turns, and what the person attached. */
  readonly before: readonly T[];
  /** What the person said in this turn. */
  readonly user: T;
  /** What the model did since, and what came of it. */
  readonly after: readonly T[];
}

/** There is no role for the system: `system` is the first of all, the others stand around the person's words (MCPL §10.4). */
export function placed<T>(
  { before, user, after }: Conversation<T>,
  context: readonly KeptContext[],
  messageOf: (placed: PlacedContext) => T,
): readonly T[] {
  const at = (position: PlacedContext['position']): readonly T[] =>
    context.filter((each) => each.position === position).map(messageOf);
  return [...at('system'), ...before, ...at('beforeUser'), user, ...at('afterUser'), ...after];
}
