/** What to do about a server that ended by itself. */
export type RestartDecision =
  { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'giveUp'; readonly crashes: number };

const WINDOW_MS = 3 * 60_000;
const MAX_CRASHES = 5;
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;
/** A delay is spread by this share, so that servers that fell together do not come back together. */
const JITTER = 0.25;

/**
 * Decides from the times of past crashes, the newest last and included. Five in three minutes open the circuit:
 * whatever is wrong does not go away by itself.
 */
export function decideRestart(crashes: readonly number[], now: number, random: number): RestartDecision {
  const recent = recentCrashes(crashes, now).length;
  if (recent >= MAX_CRASHES) return { kind: 'giveUp', crashes: recent };
  const base = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, recent - 1), LONGEST_DELAY_MS);
  return { kind: 'restart', delayMs: Math.round(base * (1 - JITTER + 2 * JITTER * random)) };
}

/** The crashes that still count; what is older need not be remembered. */
export function recentCrashes(crashes: readonly number[], now: number): readonly number[] {
  return crashes.filter((at) => now - at < WINDOW_MS);
}
