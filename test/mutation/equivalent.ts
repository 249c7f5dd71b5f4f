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
  [session('credentials', '/^(["\'])([\\s\\S]*)\\1$/ -> /^(["\'])([\\s\\S]*)\\1/')]:
    'A value that begins with a quote either ends with it or has no other.',
  [session('serverRunner', '[] -> ["Stryker was here"]')]: 'Only times within the last three minutes are counted.',
  [session('dialectTransport', 'inner.onDropped !== undefined -> true')]: 'The field is undefined all the same.',
  [session('firstQuestion', 'inner.onDropped !== undefined -> true')]: 'The field is undefined all the same.',
  [session('firstQuestion', 'inner.onRenewed !== undefined -> true')]: 'The field is undefined all the same.',
  [session('statelessTransport', 'inner.onDropped !== undefined -> true')]: 'The field is undefined all the same.',
  ...Object.fromEntries(
    ['initializedSession', 'statelessSession'].flatMap((file) => [
      [session(file, 'codec === undefined -> false'), 'Every revision that can be agreed has a codec.'],
      [
        session(file, 'throw new Error(`There is no codec for ${protocolVersion}.`); -> ;'),
        'Every revision that can be agreed has a codec.',
      ],
      [session(file, "read.kind === 'invalid' -> true"), 'A method that the revision lacks is not sent.'],
    ]),
  ),
};
