/** What to do about a crashed server. */
type RestartDecision =
  { readonly kind: 'restart'; readonly delayMs: number } | { readonly kind: 'giveUp'; readonly crashes: number };

const WINDOW_MS = 3 * 60_000;
const MAX_CRASHES = 5;
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 30_000;
/** Random spread of delays, so that servers that crashed together do not restart together. */
const JITTER = 0.25;

/**
 * Decides from the times of crashes, including the newest. Five within three minutes stop the restarts, because the
 * problem does not go away.
 */
export function decideRestart(crashes: readonly number[], now: number, random: number): RestartDecision {
  const recent = recentCrashes(crashes, now).length;
  if (recent >= MAX_CRASHES) return { kind: 'giveUp', crashes: recent };
  const base = Math.min(FIRST_DELAY_MS * 2 ** Math.max(0, recent - 1), MAX_DELAY_MS);
  return { kind: 'restart', delayMs: Math.round(base * (1 - JITTER + 2 * JITTER * random)) };
}

/** The crashes within the window. Older ones can be dropped. */
export function recentCrashes(crashes: readonly number[], now: number): readonly number[] {
  return crashes.filter((at) => now - at < WINDOW_MS);
}
