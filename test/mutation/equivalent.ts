/**
 * Mutants that change nothing that a caller can observe, each with the reason. The key is `keyOf` of the mutant:
 * file, original and replacement with white space folded. Where the same change occurs elsewhere in the file, ` in ` and
 * the line follow.
 */
/** Of the files that are not in `consent`. */
const FOLDERS: Readonly<Record<string, string>> = {
  featureSets: 'mcpl',
  toolScopes: 'scopes/paths',
  approvalGate: 'approvals',
  rememberedApprovals: 'approvals',
};

const policy = (file: string, change: string): string => `src/core/${FOLDERS[file] ?? 'consent'}/${file}.ts: ${change}`;
const session = (file: string, change: string): string => `src/core/session/${file}.ts: ${change}`;
const consent = policy;

const NOTHING_FIRES = 'No question is left after the end, so that nothing fires any more.';
const NOT_A_NUMBER = 'A comparison with a missing time is false.';
const scopes = (file: string, change: string): string => `src/core/scopes/paths/${file}.ts: ${change}`;

export const EQUIVALENT: Readonly<Record<string, string>> = {
  [consent('approvalGate', 'question.timer?.dispose -> question.timer.dispose')]: 'An open question has a timer.',
  [consent('approvalGate', 'this.#isDisposed -> false in if (this.#isDisposed) return;')]:
    'A second end finds nothing to end.',
  [consent('approvalGate', 'this.#changed.dispose(); -> ;')]: NOTHING_FIRES,
  [consent('approvalGate', 'this.#asked.dispose(); -> ;')]: NOTHING_FIRES,
  [consent('approvalGate', 'this.#settled.dispose(); -> ;')]: NOTHING_FIRES,
  [consent('approvalGate', 'deniedAt !== undefined -> true')]: NOT_A_NUMBER,
  [consent('approvalGate', 'now - at >= DENIED_MS -> false')]:
    'An old denial that is kept denies nothing, and their number is bounded.',
  [consent('approvalGate', 'now - at >= DENIED_MS -> now - at > DENIED_MS')]:
    'An old denial that is kept denies nothing.',
  [consent('rememberedApprovals', 'this.#changed.dispose(); -> ;')]: 'Its only listener ends at the same time.',
  [consent('rememberedApprovals', 'this.#grants.size <= MAX_REMEMBERED -> this.#grants.size < MAX_REMEMBERED')]:
    'Nothing lies beyond the limit then.',
  [consent('rememberedApprovals', 'from < grants.length -> from <= grants.length')]: 'An empty batch does nothing.',
  [consent('rememberedApprovals', 'until < first -> until <= first')]: 'The same moment.',
  [consent('rememberedApprovals', 'this.#armedFor !== undefined -> true')]: NOT_A_NUMBER,
  [consent('rememberedApprovals', 'until !== undefined -> true in return until !== undefined && until <= now;')]:
    NOT_A_NUMBER,
  [consent(
    'rememberedApprovals',
    'until !== undefined -> true in if (until !== undefined && (first === undefined || until < first)) first = until;',
  )]: NOT_A_NUMBER,
  [consent(
    'startGate',
    "false -> true in const needsConsent = decideStart(definition, undefined, false).kind === 'ask';",
  )]: 'An older consent changes the reason only.',
  [consent(
    'startGate',
    `[] -> ["Stryker was here"] in const kept = reason === 'first' || reason === 'changed' ? await this.#options.states.lineages() : [];`,
  )]: 'Only state of this server is shown.',
  [policy('editorPolicy', 'server.url !== undefined -> true')]: '"undefined" as a text has no variable.',
  [policy('editorPolicy', 'url !== undefined -> true')]: '"undefined" as a text is no URL, so that nothing matches it.',
  [policy('featureSets', 'barring.length === 0 -> false')]: 'A shortcut: without bars the lists stay as they are.',
  [policy('mcplGrants', 'definition.workspaceGrants.length === 0 -> false')]: 'A shortcut: nothing is refused.',
  [policy('mcplGrants', 'this.#added.length === 0 -> false')]: 'A shortcut: nothing that was not added is refused.',
  [policy('startRemarks', "() => '' -> () => undefined")]: 'The sentence of this kind does not show it.',
  [policy('startRemarks', 'a < b -> a <= b')]: 'The order of two equal texts cannot be seen.',
  [policy('editorPolicy', 'at < 0 -> at <= 0')]: 'No URL begins with "://".',
  [policy('startRemarks', 'a > b -> a >= b')]: 'The names of variables differ.',
  [policy('toolScopes', '[] -> ["Stryker was here"] in const all = fitting.flatMap((key) => lists[key] ?? []);')]:
    'The keys are those of the lists.',
  [policy('editorPolicy', 'rest !== undefined -> true')]: 'Both groups match, or neither does.',
  [policy('editorPolicy', "text === '' -> false")]: 'No http URL has an empty host, so that nothing matches.',
  [policy('mcplGrants', 'key === undefined -> false')]: 'The keys of what is wanted are keys of the lists.',
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
  [session('workspaceGrants', '!regions.has(key) -> true')]: 'A region of the same key is the same region.',
  [session('workspaceGrants', 'wider === undefined -> false')]: 'No key is undefined, so that nothing is found.',
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
  [scopes('formText', '!UNUSUAL.test(form) -> false')]: 'A shortcut: without it the same comes out.',
  [scopes('glob', 'head.includes(probe) || tail.includes(probe) -> false')]: 'What begins or ends with it has it.',
  [scopes('glob', 'head.includes(probe) || tail.includes(probe) -> head.includes(probe) && tail.includes(probe)')]:
    'What begins or ends with it has it.',
  [scopes('glob', 'text.charCodeAt(text.length - 2) !== this.#tailSign -> false')]:
    'A shortcut: without it the same comes out.',
  [scopes('glob', "this.#probe === '' -> false")]: 'Every text has the empty one in it.',
  [scopes('globIndex', 'a.shape.head < b.shape.head -> a.shape.head <= b.shape.head')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'a.shape.head < b.shape.head -> a.shape.head >= b.shape.head')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'this.#sieve?.test(seen) !== false -> true')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', "globs.at(-1)?.shape.head ?? '' -> globs.at(-1)?.shape.head && ''")]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'end < first.length && first.charCodeAt(end) === last.charCodeAt(end) -> false')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'end < first.length -> true')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'end < first.length -> end <= first.length')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'end < first.length -> end >= first.length')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes('globIndex', 'head.length <= end -> head.length < end')]:
    'The tree of beginnings only gets other nodes, which find the same globs.',
  [scopes(
    'globIndex',
    "{ const literals = globs.map(({ shape }) => (shape.tail.length > shape.probe.length ? shape.tail : shape.probe)); if (literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('')) return undefined; return new RegExp([...new Set(literals)].map((literal) => literal.replace(/[$()*+.?[\\\\\\]^{|}]/g, '\\\\$&')).join('|')); } -> {}",
  )]: 'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'shape.tail.length > shape.probe.length -> true')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'shape.tail.length > shape.probe.length -> false')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'shape.tail.length > shape.probe.length -> shape.tail.length >= shape.probe.length')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'shape.tail.length > shape.probe.length -> shape.tail.length <= shape.probe.length')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', "literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('') -> true")]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', "literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('') -> false")]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes(
    'globIndex',
    "literals.length === 0 || literals.length > MAX_IN_SIEVE || literals.includes('') -> (literals.length === 0 || literals.length > MAX_IN_SIEVE) && literals.includes('')",
  )]: 'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length === 0 || literals.length > MAX_IN_SIEVE -> false')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes(
    'globIndex',
    'literals.length === 0 || literals.length > MAX_IN_SIEVE -> literals.length === 0 && literals.length > MAX_IN_SIEVE',
  )]: 'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length === 0 -> false')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length === 0 -> literals.length !== 0')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length > MAX_IN_SIEVE -> false')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length > MAX_IN_SIEVE -> literals.length >= MAX_IN_SIEVE')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', 'literals.length > MAX_IN_SIEVE -> literals.length <= MAX_IN_SIEVE')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', '[...new Set(literals)] -> []')]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globIndex', "(literal) => literal.replace(/[$()*+.?[\\\\\\]^{|}]/g, '\\\\$&') -> () => undefined")]:
    'The sieve only saves asking globs, each of which looks for the same literal itself.',
  [scopes('globList', 'within.filter(hasClass) -> within')]: 'Globs without classes match the same once more.',
  [scopes('globList', 'globs.filter(hasClass) -> globs')]: 'Globs without classes match the same once more.',
  [scopes('globList', 'globs.length === 0 -> false')]: 'A shortcut: without it the same comes out.',
  [scopes('globList', "glob === '**' || glob.endsWith('/**') -> false")]: 'A second `**` matches nothing more.',
  [scopes('globList', "glob === '**' || glob.endsWith('/**') -> glob === '**' && glob.endsWith('/**')")]:
    'A second `**` matches nothing more.',
  [scopes('globList', "glob === '**' -> false")]: 'A second `**` matches nothing more.',
  [scopes('globShape', 'first < 0 -> false')]: 'Without `**` the parts are empty, or counted twice by a maximum.',
  [scopes('globShape', '/^(?:[^*?[\\]\\\\]|\\\\.)*/s -> /(?:[^*?[\\]\\\\]|\\\\.)*/s')]:
    'It matches at the beginning anyway, if only an empty text.',
  [scopes('globShape', "text === '*' -> false")]: 'A shortcut: without it the same comes out.',
  [scopes('globShape', '!SIGN.test(text) -> false')]: 'A shortcut: without it the same comes out.',
  [scopes('globShape', 'PREFIX.exec(text)?.[0] -> PREFIX.exec(text)[0]')]:
    'The expression always matches, at the least an empty text.',
  [scopes('globShape', '[suffix] -> []')]: 'The search for the longest begins with the suffix.',
  [scopes('globShape', 'end < 0 -> false')]: 'Without such a segment nothing is added.',
  [scopes('globShape', 'segments[end]?.prefix -> segments[end].prefix')]: 'The segment was found.',
  [scopes('globShape', 'segments.at(-1)?.suffix -> segments.at(-1).suffix')]: 'A split text has a segment.',
  [scopes('letterCase', 'isAscii(text) -> false')]: 'A shortcut: without it the same comes out.',
  [scopes('pathKeys', 'words.length > 1 -> true')]: 'None of these words alone names a channel or a person.',
  [scopes('pathKeys', 'words.length > 1 -> words.length >= 1')]:
    'None of these words alone names a channel or a person.',
  [scopes('pathKeys', '/[^\\p{L}\\d]+/u -> /[^\\p{L}\\d]/u')]: 'Empty words are left out.',
  [scopes('pathKeys', "outward.kind === 'absolute' -> true")]: 'No other kind is odd.',
  [scopes('pathKeys', "!bare.includes('%') -> false")]: 'A shortcut: without it the same comes out.',
  [scopes('pathReadings', '/:.*$/s -> /:.*/s')]: 'The star takes everything to the end.',
  [scopes('pathText', "!text.includes('%') -> false")]: 'A shortcut: without it the same comes out.',
  [scopes('pathText', '{ return undefined; } -> {}')]: 'A function without a result returns undefined.',
  [scopes(
    'respellings',
    '/^[a-z][a-z-]+:(?:[\\\\/]{2}([^/?#]*))?(.*)$/is -> /^[a-z][a-z-]+:(?:[\\\\/]{2}([^/?#]*))?(.*)/is',
  )]: 'The star takes everything to the end.',
  [scopes('respellings', '/[?#].*$/s -> /[?#].*/s')]: 'The star takes everything to the end.',
  [scopes('respellings', '/\\s.*$/s -> /\\s.*/s')]: 'The star takes everything to the end.',
  [scopes('textParts', 'parts.found.size > MAX_PARTS -> false')]: 'It is asked again at the end.',
  [scopes('textParts', "part === '' -> false")]: 'The empty text has no sign either that a part needs.',
  [scopes('textParts', 'at > 0 -> at >= 0')]: 'The search begins at the second sign, and never finds the first.',
  [scopes('textParts', '/\\s+/ -> /\\s/')]: 'Empty words are left out.',
  [scopes('lists', 'form.length <= MAX_RECENT -> true')]: 'Only keeps more decisions at hand.',
  [scopes('lists', 'form.length <= MAX_RECENT -> form.length < MAX_RECENT')]: 'Only keeps fewer decisions at hand.',
  [scopes('openFolders', '[] -> ["Stryker was here"]')]: 'Real paths are absolute, and never in a relative folder.',
  [scopes('openFolders', 'index === 1 -> true')]: 'A share then has two empty names in front in every path.',
  [scopes('openFolders', 'index === 1 -> index !== 1')]: 'The empty name in front of a share is another one.',
  [scopes(
    'pathTargets',
    "real.kind === 'real' -> true in if (real.kind === 'real' && real.exists) there.add(real.path);",
  )]: 'An unknown path has no `exists`.',
  [scopes('pathTargets', "real.kind === 'real' -> true in return real.kind === 'real' && real.exists;")]:
    'An unknown path has no `exists`.',
  [scopes('targets', 'meant === undefined -> false')]: 'Every text was read.',
  [scopes('targets', 'readings?.kind -> readings.kind')]: 'Every target was read.',
  [scopes('targets', 'likely?.resolved -> likely.resolved')]: 'Every target was read.',
  [scopes('targets', "readings?.kind === 'path' -> true")]: 'A name has no likely paths.',
  [scopes('targets', "meant.readings.kind === 'path' -> true")]: 'A name has no likely paths.',
  [scopes('targets', 'paths.filter((path) => !this.#bases.includes(path)) -> paths')]: 'The bases of a text are a set.',
  [scopes('targets', 'this.#read.set(key, known); -> ;')]: 'The same text is read again, to the same result.',
  [scopes('targets', '/^.*\\// -> /.*\\//')]: 'The star takes everything from the start.',
  [scopes(
    'targets',
    "label.some(({ target }) => target.kind === 'name') -> label.every(({ target }) => target.kind === 'name')",
  )]: 'There is at most one label, and without one nothing agrees.',
};
