/** Typical lists: 40 allow and 10 deny patterns of a project with ten packages. */
const PACKAGES = ['api', 'web', 'core', 'cli', 'shared', 'mobile', 'docs', 'infra', 'admin', 'auth'];
const PROJECT = '/home/person/work/project';

export const PLACE = { folders: [{ name: 'project', path: PROJECT }], userHome: '/home/person' };

export const ALLOW: readonly string[] = [
  ...PACKAGES.map((name) => `${PROJECT}/packages/${name}/src/**`),
  ...PACKAGES.map((name) => `${PROJECT}/packages/${name}/test/**/*.ts`),
  ...['src', 'lib', 'test', 'docs', 'scripts', 'config', 'assets', 'tools'].map((name) => `${PROJECT}/${name}/**`),
  ...['*.md', '*.json', 'package.json'].map((name) => `${PROJECT}/${name}`),
  '/tmp/project-*/**',
  '/home/person/notes/**/*.md',
  ...['ts', 'tsx', 'css', 'html', 'svg', 'snap'].map((ending) => `**/*.test.${ending}`),
  '**/README.md',
];

export const DENY: readonly string[] = [
  ...['**/.git', '**/.env', '**/.env.*', '**/secrets/**', '**/*.pem', '**/*.key', '**/id_rsa*'],
  ...['**/node_modules/.cache/**', '/home/person/.ssh/**', '/etc/**'],
];

const NAMES = ['index', 'main', 'list', 'view', 'model', 'store', 'route', 'page', 'item', 'table', 'form', 'query'];

/** The share and shape of paths. About 15 % are denied or unlisted, as with real lists. */
const SHAPES: readonly (readonly [number, (pick: (names: readonly string[]) => string) => string])[] = [
  [0.35, (pick) => `${PROJECT}/packages/${pick(PACKAGES)}/src/${pick(NAMES)}/${pick(NAMES)}`],
  [0.15, (pick) => `${PROJECT}/packages/${pick(PACKAGES)}/test/${pick(NAMES)}`],
  [0.15, (pick) => `${PROJECT}/${pick(['src', 'lib', 'docs', 'assets'])}/${pick(NAMES)}/${pick(NAMES)}`],
  [0.1, (pick) => `${PROJECT}/packages/${pick(PACKAGES)}/${pick(NAMES)}.test`],
  [0.05, (pick) => `/home/person/.ssh/${pick(NAMES)}`],
  [0.05, (pick) => `${PROJECT}/packages/${pick(PACKAGES)}/secrets/${pick(NAMES)}`],
  [0.15, (pick) => `/home/person/other/${pick(NAMES)}/${pick(NAMES)}`],
];

export const labelsOf = (count: number, random: () => number): readonly string[] => {
  const pick = (names: readonly string[]): string => names[Math.floor(random() * names.length)] ?? '';
  return Array.from({ length: count }, () => {
    let left = random();
    const shape = SHAPES.find(([share]) => (left -= share) < 0) ?? SHAPES[0];
    // A flat string, like texts from messages.
    return JSON.parse(`"${shape?.[1](pick)}${Math.floor(random() * 500)}.ts"`) as string;
  });
};

const MAX_LABEL = 4_096;
const label = (unit: string): string => `/${unit.repeat(MAX_LABEL)}`.slice(0, MAX_LABEL);

/** A pattern of at most 1,024 characters, repeated fifty times, and a hard label for it. */
export interface HardCase {
  readonly pattern: (index: number) => string;
  readonly label: string;
}

export const HARD: Readonly<Record<string, HardCase>> = {
  '*a*a*a': { pattern: (index) => `**/${'*a'.repeat(500 - index)}*b*`, label: label('a') },
  '*a*a*a, short': { pattern: (index) => `**/${'*a'.repeat(400 - index)}*a*/**`, label: label('aaaaaaa/') },
  '*aaaaaa?a*': { pattern: (index) => `**/*${'a'.repeat(1_000 - index)}?a*`, label: label('a') },
  '{a,b}{a,b}': { pattern: (index) => `**/*${'{a,?}'.repeat(8)}*${'?'.repeat(index)}b*`, label: label('a') },
  '{a,{a,{a': {
    pattern: (index) => `**/${'{a*,'.repeat(60)}b${index}${'}'.repeat(60)}`,
    label: label('a'),
  },
  '[[[[ of 1,024': { pattern: (index) => '['.repeat(1_024 - index), label: label('[') },
  '[[[[ of 64': { pattern: (index) => `**/*${'['.repeat(64)}*${'x'.repeat(900 - index)}*`, label: label('[x') },
  '**/a/**/a': { pattern: (index) => `${'**/a/'.repeat(200 - index)}b/**`, label: label('a/') },
  '**/a/a/a/b': { pattern: (index) => `**/${'a/'.repeat(400 - index)}*b/**`, label: label('a/') },
};
