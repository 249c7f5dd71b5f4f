/** One forbidden import, and the rule that must report it. Paths are relative to `src`. */
export interface Mutation {
  readonly rule: string;
  /** A folder (a file is created there) or a file (the import is added to it). */
  readonly from: string;
  /** A folder (a file is created there), a file, or a package. */
  readonly to: string;
  readonly kind?: 'type';
}

const many = (rule: string, from: string, ...targets: readonly string[]): readonly Mutation[] =>
  targets.map((to) => ({ rule, from, to }));

type Folders = Readonly<Record<string, readonly string[]>>;

/** Every import that the row of a folder does not list. */
const ofFolder = (circle: string, folders: Folders, part: string, allowed: readonly string[]): readonly Mutation[] => {
  const mayImport = (other: string): boolean => [part, ...allowed].some((each) => other.startsWith(each));
  const refused = Object.keys(folders).filter((other) => !mayImport(other) && !part.startsWith(other));
  return many(`folder ${circle}/${part}`, `${circle}/${part}`, ...refused.map((other) => `${circle}/${other}`));
};

/** The mutations of each rule that the table of folders makes. */
export const folderMutations = (circles: Readonly<Record<string, Folders>>): ReadonlyMap<string, readonly Mutation[]> =>
  new Map(
    Object.entries(circles).flatMap(([circle, folders]) =>
      Object.entries(folders).map(([part, allowed]) => [
        `folder ${circle}/${part}`,
        ofFolder(circle, folders, part, allowed),
      ]),
    ),
  );

const INSIDE_THE_CORE: readonly Mutation[] = [
  ...many('host-is-reached-by-index', 'core/consent/', 'core/host/', 'core/index.ts'),
  ...many('decisions-are-pure', 'core/consent/startConsent.ts', 'core/session/', 'core/rpc/', 'core/mcpl/'),
  ...many('decisions-are-pure', 'core/scopes/paths/toolScopes.ts', 'core/scopes/paths/'),
];

const BETWEEN_THE_CIRCLES: readonly Mutation[] = [
  ...many('only-adapters-know-the-editor', 'core/consent/', 'vscode'),
  { rule: 'only-adapters-know-the-editor', from: 'core/model/', to: 'vscode', kind: 'type' },
  ...many('only-adapters-know-the-editor', 'node/', 'vscode'),
  ...many('only-adapters-know-the-editor', 'cli/', 'vscode'),
  ...many('only-adapters-know-the-editor', 'webview/', 'vscode'),
  ...many('core-has-no-runtime', 'core/rpc/', 'node:fs'),
  ...many('core-has-no-runtime', 'webview/', 'node:path'),
  ...many('core-never-looks-out', 'core/host/', 'node/', 'editor/', 'cli/', 'webview/', 'demo/', 'extension.ts'),
  ...many('one-door', 'node/http/', 'core/rpc/'),
  ...many('one-door', 'editor/shared/', 'core/consent/'),
  ...many('one-door', 'cli/', 'core/host/'),
  ...many('one-door', 'extension.ts', 'core/ports.ts'),
  { rule: 'one-door', from: 'editor/shared/', to: 'core/model/', kind: 'type' },
  ...many('node-is-a-stranger', 'node/', 'editor/', 'cli/', 'webview/', 'extension.ts'),
  ...many('editor-is-a-stranger', 'editor/', 'node/', 'cli/', 'webview/', 'extension.ts'),
  ...many('cli-is-a-host-without-editor', 'cli/', 'editor/', 'webview/', 'extension.ts'),
  ...many('cli-is-an-end', 'extension.ts', 'cli/'),
  ...many('extension-composes', 'extension.ts', 'webview/', 'demo/'),
  ...many('extension-is-an-end', 'node/', 'extension.ts'),
  ...many('webview-is-alone', 'webview/', 'core/index.ts', 'editor/', 'node/'),
  { rule: 'webview-is-alone', from: 'webview/', to: 'core/form/', kind: 'type' },
  ...many('demo-is-alone', 'demo/', 'core/index.ts', 'node/', 'jsonc-parser'),
  ...many('demo-is-an-end', 'editor/', 'demo/'),
];

const PACKAGES: readonly Mutation[] = [
  ...many('only-the-judge-knows-schemas', 'node/schemas/', '@cfworker/json-schema'),
  ...many('only-sign-in-knows-oauth', 'node/', 'oauth4webapi'),
  ...many('only-web-socket-knows-ws', 'node/http/', 'ws'),
  ...many('only-inbound-requests-uses-vscode-jsonrpc', 'core/session/', 'vscode-jsonrpc'),
  ...many('only-inbound-requests-uses-vscode-jsonrpc', 'core/rpc/', 'vscode-jsonrpc'),
  ...many('only-scopes-know-minimatch', 'core/consent/', 'minimatch'),
  ...many('the-store-has-a-side-door', 'node/store/', 'core/rpc/', 'core/consent/', 'core/host/'),
  ...many('only-patches-know-rfc6902', 'core/states/', 'rfc6902'),
  ...many('only-patches-know-rfc6902', 'node/store/', 'rfc6902'),
  ...many('only-node-knows-cross-spawn', 'cli/', 'cross-spawn'),
  ...many('only-settings-files-are-jsonc', 'node/', 'jsonc-parser'),
  ...many('no-other-packages', 'core/wire/', 'fast-check'),
  ...many('no-other-packages', 'node/', 'mocha'),
  ...many('imports-resolve', 'core/base/', './nowhere.ts'),
];

/** Two files that import each other, and an unused file, need more than one import. The test creates them. */
export const MADE_BY_HAND = ['no-cycles', 'no-orphans'] as const;

export const MUTATIONS: readonly Mutation[] = [...INSIDE_THE_CORE, ...BETWEEN_THE_CIRCLES, ...PACKAGES];
