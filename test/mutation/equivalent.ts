/**
 * Mutants that change nothing that a caller can observe, each with the reason. The key is `keyOf` of the mutant:
 * file, original and replacement with white space folded.
 */
const policy = (file: string, change: string): string => `src/core/policy/${file}.ts: ${change}`;
const session = (file: string, change: string): string => `src/core/session/${file}.ts: ${change}`;

export const EQUIVALENT: Readonly<Record<string, string>> = {
  [policy('editorPolicy', 'server.url !== undefined -> true')]: '"undefined" as a text has no variable.',
  [policy('editorPolicy', 'url !== undefined -> true')]: '"undefined" as a text is no URL, so that nothing matches it.',
  [policy('featureSets', 'barring.length === 0 -> false')]: 'A shortcut: without bars the lists stay as they are.',
  [policy('mcplGrants', 'definition.workspaceGrants.length === 0 -> false')]: 'A shortcut: nothing is refused.',
  [policy('mcplGrants', 'this.#added.length === 0 -> false')]: 'A shortcut: nothing that was not added is refused.',
  [policy('mcplRemarks', "() => '' -> () => undefined")]: 'The sentence of this kind does not show it.',
  [policy('scopeRemarks', 'a < b -> a <= b')]: 'The order of two equal texts cannot be seen.',
  [policy('serverUrlPattern', 'rest !== undefined -> true')]: 'Both groups match, or neither does.',
  [policy('serverUrlPattern', "text === '' -> false")]: 'No http URL has an empty host, so that nothing matches.',
  [policy('whitelistGrants', 'key === undefined -> false')]: 'The keys of what is wanted are keys of the lists.',
  [session('credentials', '/^([A-Za-z_]\\w*)=([\\s\\S]*)$/ -> /^([A-Za-z_]\\w*)=([\\s\\S]*)/')]:
    'The last group takes everything to the end.',
  [session('credentials', 'name === undefined -> false')]: 'Both groups match, or neither does.',
};
