import { basename, dirname, extname, join, normalize } from 'node:path';
import { bundles } from '../harness/bundles.ts';

/** The text of every file under version control, by path. Empty for images. */
export type Files = ReadonlyMap<string, string>;

export interface HouseRule {
  readonly name: string;
  /** Violations, one line each. */
  readonly check: (files: Files) => readonly string[];
  /** Files that break the rule. A test adds them and expects a violation. */
  readonly broken: readonly [path: string, text: string] | Files;
}

const paths = (files: Files, pattern: RegExp): readonly string[] =>
  [...files.keys()].filter((path) => pattern.test(path));

/** Splits texts, so that the rules do not match this file. */
const apart = (...parts: readonly string[]): string => parts.join('');

/** A rule without lines that match, in files that match `where`. Violations are `file:line text`. */
const noLine = (where: RegExp, pattern: RegExp): HouseRule['check'] => {
  return (files) =>
    paths(files, where).flatMap((path) =>
      (files.get(path) ?? '')
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line.trim().slice(0, 120)}`] : [])),
    );
};

const required = (path: string, ...texts: readonly (string | RegExp)[]): HouseRule['check'] => {
  return (files) => {
    const text = files.get(path);
    if (text === undefined) return [`${path} is missing`];
    return texts
      .filter((wanted) => (typeof wanted === 'string' ? !text.includes(wanted) : !wanted.test(text)))
      .map((wanted) => `${path} does not say ${String(wanted)}`);
  };
};

const CODE = /\.(ts|mjs|cjs|js)$/;
/** Files written by hand. The lock file is generated. */
const WRITTEN = /^(?!package-lock\.json$)/;
const ALL = /^/;

const IN_A_LAYER = /^src\/(core|node|editor|cli|webview|demo)\/|^src\/(extension\.ts|package\.json)$/;
const IN_THE_CORE = new RegExp(
  [
    '^src/(?!core/)',
    '^src/core/(base|model|rpc|wire|wire/mcp|wire/mcpl|wire/mcpl/revisions|session|form|gateway|auth|trace|approvals|audit|calls|consent|events|host|inputs|logging|mcpl|offer|scopes|scopes/paths|states|states/patches|turns)/[^/]+\\.ts$',
    '^src/core/((index|hostTypes|ports|inputPorts|modelPorts|globals\\.d|noVscode\\.d)\\.ts|tsconfig\\.json)$',
  ].join('|'),
);

const switchedOff = apart('(eslint', '-(disable|enable)|@ts', '-(ignore|expect-error|nocheck)|prettier', '-ignore)');
const leftForLater = apart('\\b(TO', 'DO|FIX', 'ME|XX', 'X|HA', 'CK)\\b');
const jargon = apart('\\b(iss', 'ue|ses', 'sion|tic', 'ket|pull request)\\s+#?\\d+\\b|\\bdes', 'ign/[a-z]+\\.md');
const registries = apart('registry\\.(npm', 'js|yarn', 'pkg)|npm', 'mirror|jfr', 'og\\.io|deb\\.deb', 'ian\\.org');
const aloneOrSkipped = apart('\\b(suite|test|describe|it)\\.(on', 'ly|sk', 'ip)\\(');

const COLOUR_NAMES = 'black|white|gr[ae]y|silver|red|green|blue|yellow|orange|purple|pink|brown|cyan|magenta|navy|teal';
const LITERAL_COLOUR = new RegExp(
  `#[0-9a-f]{3,8}\\b|\\b(rgb|hsl|hwb|lab|lch|oklab|oklch)a?\\(|\\b(${COLOUR_NAMES})\\b`,
  'i',
);
const MOTION = /(^|[;{\s])(transition|animation|scroll-behavior)(-[a-z]+)?\s*:|@keyframes/m;

/** Without comments and variable names, which may contain color names. */
const styleOf = (text: string): string => text.replace(/\/\*[^]*?\*\//g, '').replace(/--[\w-]+/g, '');

const STYLES = /^media\/.*\.css$/;

const literalColours: HouseRule['check'] = (files) =>
  paths(files, STYLES).flatMap((path) =>
    [...styleOf(files.get(path) ?? '').matchAll(/[\w-]+\s*:([^;{}]*);/g)]
      .filter(([, value = '']) => LITERAL_COLOUR.test(value))
      .map(([declaration]) => `${path} ${declaration}`),
  );

const movesForAll: HouseRule['check'] = (files) =>
  paths(files, STYLES).filter((path) => {
    const text = styleOf(files.get(path) ?? '');
    return MOTION.test(text) && !text.includes('(prefers-reduced-motion');
  });

const namesPackages: HouseRule['check'] = (files) => {
  const manifest = JSON.parse(files.get('package.json') ?? '{}') as Partial<Record<string, Record<string, string>>>;
  const names = Object.keys({ ...manifest['dependencies'], ...manifest['devDependencies'] });
  const page = files.get('docs/dependencies.md') ?? '';
  return names
    .filter((name) => !page.includes(`\`${name}\``))
    .map((name) => `docs/dependencies.md does not explain ${name}`);
};

/** Pages that a source comment names must be in `docs/`. */
const citesPages: HouseRule['check'] = (files) =>
  paths(files, /^src\/.*\.ts$/).flatMap((path) =>
    [...(files.get(path) ?? '').matchAll(/(?<=(?:\/\/ |\* )[^\n]*)(?<![`\w/.#-])((?:docs\/)?[a-z][A-Za-z/-]*\.md)\b/g)]
      .map(([, page = '']) => page)
      .filter((page) => !page.startsWith('docs/') || !files.has(page))
      .map((page) => `${path} cites ${page}`),
  );

/** Files that the two pages for contributors name in code font, with `{a,b}`, `*` and `…` as in a shell. */
const namesFiles: HouseRule['check'] = (files) => {
  const known = [...files.keys(), ...bundles.map(({ to }) => `dist/${to}`)];
  return ['CONTRIBUTING.md', 'docs/architecture.md'].flatMap((page) => {
    const prose = (files.get(page) ?? '').replace(/^ *```[^]*?^ *```$/gm, '');
    const named = [
      ...prose.matchAll(/`([^`\s]+\.(?:ts|js|mjs|cjs|md)|(?:core|node|editor|cli|webview|demo|test)\/[^`\s]+)`/g),
    ];
    return [...new Set(named.flatMap(([, name = '']) => withoutBraces(name)))]
      .filter((name) => !known.some(matcherOf(name)))
      .map((name) => `${page} names ${name}`);
  });
};

const PAGES = /^(docs\/.*|README|CONTRIBUTING|CHANGELOG)(\.md)?$/;

/** Links between pages: the page must exist, and its heading if the link names one. */
const linksLead: HouseRule['check'] = (files) =>
  paths(files, PAGES).flatMap((page) => {
    const prose = (files.get(page) ?? '').replace(/^ *```[^]*?^ *```$/gm, '').replace(/`[^`\n]*`/g, '');
    return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !/^[a-z]+:/.test(link) && !leads(files, page, link))
      .map((link) => `${page} links to ${link}`);
  });

function leads(files: Files, page: string, link: string): boolean {
  const [path = '', heading] = link.split('#');
  const target =
    path === ''
      ? page
      : normalize(join(dirname(page), path))
          .replaceAll('\\', '/')
          .replace(/\/$/, '');
  const isFolder = [...files.keys()].some((file) => file.startsWith(`${target}/`));
  if (heading === undefined) return files.has(target) || isFolder;
  return [...(files.get(target) ?? '').matchAll(/^#+ (.+)$/gm)].some(([, title = '']) => anchorOf(title) === heading);
}

/** As GitHub makes it. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function withoutBraces(name: string): readonly string[] {
  const [, before = '', choices = '', after = ''] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(name) ?? [];
  return choices === '' ? [name] : choices.split(',').map((choice) => `${before}${choice}${after}`);
}

/** A name is the end of a path, or a folder in it. */
function matcherOf(name: string): (path: string) => boolean {
  const pattern = name
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/[*…]/g, '[^/]*');
  const matcher = new RegExp(`(^|/)${pattern}(/|$)`);
  return (path) => matcher.test(path);
}

const ciRunsTheTests: HouseRule['check'] = (files) => {
  const lines = (files.get('.ci/run') ?? '').split('\n').map((line) => line.trim());
  const commands = lines.filter((line) => line !== '' && !line.startsWith('#') && !/^(set|cd) /.test(line));
  return commands.join(' | ') === 'exec npm test' ? [] : [`.ci/run runs: ${commands.join(' | ')}`];
};

const MAX_FILES_PER_FOLDER = 40;

const fullFolders: HouseRule['check'] = (files) => {
  const sizes = new Map<string, number>();
  for (const path of paths(files, /^src\//)) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return [...sizes]
    .filter(([, size]) => size > MAX_FILES_PER_FOLDER)
    .map(([folder, size]) => `${folder} has ${size} files; group some of them into a folder of their own`);
};

export const lineCount = (text: string): number => text.split('\n').length - 1;

/** `places`: the folders of this machine, which no text may name. */
export const houseRules = (places: readonly string[]): readonly HouseRule[] => [
  {
    name: 'file names are camelCase',
    check: (files) =>
      paths(files, /^(src|test)\/.*\.(ts|mjs|css)$/).filter(
        (path) =>
          // Revisions of MCP are named by date, those of MCPL by number.
          !/^src\/core\/wire\/mcp\/\d{4}-\d{2}-\d{2}\.ts$/.test(path) &&
          !/^src\/core\/wire\/mcpl\/revisions\/\d+\.\d+\.ts$/.test(path) &&
          !/^[a-z][a-zA-Z0-9]*(\.test|\.d)?\.[a-z]+$/.test(basename(path)),
      ),
    broken: ['src/core/base/key-queue.ts', ''],
  },
  {
    name: 'file names say what is inside',
    check: (files) => paths(files, /^(src|test)\/(.*\/)?[^/]*(utils?|helpers?|manager|misc|common)(\.[a-z]+)+$/i),
    broken: ['src/node/serverManager.ts', ''],
  },
  {
    name: 'no source lies outside a layer',
    check: (files) => paths(files, /^src\//).filter((path) => !IN_A_LAYER.test(path)),
    broken: ['src/shared/text.ts', ''],
  },
  {
    name: 'no source of the core lies outside its parts',
    check: (files) => paths(files, /^src\//).filter((path) => !IN_THE_CORE.test(path)),
    broken: ['src/core/extra.ts', ''],
  },
  {
    name: 'no source is longer than 600 lines',
    check: (files) => paths(files, /^src\/.*\.ts$/).filter((path) => lineCount(files.get(path) ?? '') > 600),
    broken: ['src/core/base/long.ts', 'export {};\n'.repeat(601)],
  },
  {
    name: 'no folder of the sources has more than 40 files',
    check: fullFolders,
    broken: new Map(
      Array.from({ length: MAX_FILES_PER_FOLDER + 1 }, (_, index) => [`src/core/crowded/file${index}.ts`, '']),
    ),
  },
  {
    name: 'colours come from the theme',
    check: literalColours,
    broken: ['media/page.css', '.row {\n  color: var(--row, #fff);\n}\n'],
  },
  {
    name: 'nothing moves for those who want less motion',
    check: movesForAll,
    broken: ['media/page.css', '.row {\n  transition: top 1s;\n}\n'],
  },
  {
    name: 'every text ends each line with a line feed',
    check: (files) => [...files].filter(([, text]) => /\r\n|[^\n]$(?![\s\S])/.test(text)).map(([path]) => path),
    broken: ['docs/page.md', 'one\r\ntwo\n'],
  },
  {
    name: 'no rule is switched off in place',
    check: noLine(CODE, new RegExp(switchedOff)),
    broken: ['src/core/base/off.ts', `// ${apart('@ts', '-ignore')}\n`],
  },
  {
    name: 'no test is left out or leaves the others out',
    check: noLine(/^test\/.*\.ts$/, new RegExp(aloneOrSkipped)),
    broken: ['test/unit/one.test.ts', `${apart('test.on', 'ly')}('one', () => undefined);\n`],
  },
  {
    name: 'nothing is left for later',
    check: noLine(WRITTEN, new RegExp(leftForLater)),
    broken: ['docs/page.md', `${apart('TO', 'DO')}: write this.\n`],
  },
  {
    name: 'texts speak of the project, not of how it was made',
    check: noLine(WRITTEN, new RegExp(jargon, 'i')),
    broken: ['docs/page.md', `${apart('As iss', 'ue 12')} says.\n`],
  },
  {
    name: 'sources cite only pages of docs',
    check: citesPages,
    broken: ['src/core/base/cited.ts', `/** The reason is in ${apart('plans', '.md')}. */\nexport {};\n`],
  },
  {
    name: 'the pages for contributors name files that are there',
    check: namesFiles,
    broken: ['CONTRIBUTING.md', 'Start at `core/{model,policy}/audit.ts`.\n'],
  },
  {
    name: 'links between pages lead to a page and its heading',
    check: linksLead,
    broken: new Map([
      ['docs/a.md', 'See [b](b.md#gone) and [c](c.md).\n'],
      ['docs/b.md', '# Here\n'],
    ]),
  },
  {
    name: 'no text names a place on this machine',
    check: noLine(ALL, new RegExp(places.map((place) => place.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|'))),
    broken: ['docs/page.md', `See ${places[0]}.\n`],
  },
  {
    name: 'no text names the host of a package registry',
    check: noLine(ALL, new RegExp(registries, 'i')),
    broken: ['.npmrc', `${apart('registry=https://registry.npm', 'js.org')}\n`],
  },
  {
    name: 'the lock file says what is installed, not from where',
    check: noLine(/^package-lock\.json$/, /"resolved": "[a-z+]+:/),
    broken: ['package-lock.json', '  "resolved": "https://127.0.0.1/a.tgz",\n'],
  },
  {
    name: 'the lock file stays without addresses on every machine',
    check: required('.npmrc', /^omit-lockfile-registry-resolved=true$/m),
    broken: ['.npmrc', 'fund=false\n'],
  },
  {
    name: 'the licence is MIT',
    check: required('LICENSE', /^MIT License\n\nCopyright \(c\) \d{4} The MCP Live authors\n/),
    broken: ['LICENSE', 'All rights reserved.\n'],
  },
  {
    name: 'the manifest says the same licence',
    check: required('package.json', '"license": "MIT"'),
    broken: ['package.json', '{}\n'],
  },
  {
    name: 'the first page names the two commands',
    check: required('README.md', 'npm start', 'npm test'),
    broken: ['README.md', '# MCP Live\n'],
  },
  {
    name: 'continuous integration runs what everybody runs',
    check: ciRunsTheTests,
    broken: ['.ci/run', '#!/bin/sh\nexec npm run unit\n'],
  },
  {
    name: 'every package is explained',
    check: namesPackages,
    broken: ['package.json', '{ "dependencies": { "left-pad": "1" } }\n'],
  },
];

export const isBinary = (path: string): boolean => ['.png', '.gif', '.ico', '.ttf', '.sqlite'].includes(extname(path));
