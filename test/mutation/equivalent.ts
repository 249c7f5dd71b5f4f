/**
 * Mutants that change nothing that a caller can observe, each with the reason. The key is `keyOf` of the mutant:
 * file, original and replacement with white space folded.
 */
export const EQUIVALENT: Readonly<Record<string, string>> = {};
