/** One import that must not be, and the rule that must say so. Paths are below `src`. */
export interface Mutation {
  readonly rule: string;
  /** A folder (a file is made there) or a file (the import is added to it). */
  readonly from: string;
  /** A folder (a file is made there), a file, or a package. */
  readonly to: string;
  readonly kind?: 'type';
}

const many = (rule: string, from: string, ...targets: readonly string[]): readonly Mutation[] =>
  targets.map((to) => ({ rule, from, to }));

/** Every way out of its place that a part of the core could take. */
const INSIDE_THE_CORE: readonly Mutation[] = [
  ...many('base-is-a-leaf', 'core/base/', 'core/model/', 'core/rpc/', 'core/ports.ts', 'core/hostTypes.ts'),
  ...many('model-knows-only-base', 'core/model/', 'core/rpc/', 'core/wire/', 'core/policy/', 'core/ports.ts'),
  ...many('rpc-knows-no-protocol', 'core/rpc/', 'core/model/', 'core/wire/', 'core/session/', 'core/ports.ts'),
  ...many('ports-are-words-only', 'core/ports.ts', 'core/rpc/', 'core/policy/', 'core/hostTypes.ts'),
  ...many('input-ports-are-words-only', 'core/inputPorts.ts', 'core/rpc/', 'core/session/', 'core/hostTypes.ts'),
  ...many('auth-is-pure', 'core/auth/', 'core/rpc/', 'core/session/', 'core/ports.ts', 'core/features/'),
  ...many('trace-watches-transports', 'core/trace/', 'core/session/', 'core/wire/', 'core/ports.ts'),
  ...many('host-types-are-words-only', 'core/hostTypes.ts', 'core/session/', 'core/features/', 'core/rpc/'),
  ...many('wire-is-pure', 'core/wire/', 'core/rpc/', 'core/session/', 'core/policy/', 'core/ports.ts'),
  ...many('policy-is-pure', 'core/policy/', 'core/rpc/', 'core/wire/', 'core/session/', 'core/features/'),
  ...many('session-asks-no-policy', 'core/session/', 'core/policy/', 'core/features/', 'core/gateway/', 'core/form/'),
  ...many('features-are-below-the-host', 'core/features/', 'core/host.ts', 'core/gateway/'),
  ...many('scopes-are-pure', 'core/scopes/', 'core/features/', 'core/rpc/', 'core/session/', 'core/mcpl/'),
  ...many('state-is-pure', 'core/state/', 'core/features/', 'core/policy/', 'core/ports.ts', 'core/wire/'),
  ...many('mcpl-is-below-the-features', 'core/mcpl/', 'core/features/', 'core/gateway/', 'core/trace/', 'core/form/'),
  ...many('model-ports-are-words-only', 'core/modelPorts.ts', 'core/rpc/', 'core/ports.ts', 'core/hostTypes.ts'),
  ...many('form-is-pure', 'core/form/', 'core/rpc/', 'core/ports.ts', 'core/features/'),
  ...many(
    'gateway-sees-the-host-only',
    'core/gateway/',
    'core/session/',
    'core/features/',
    'core/host.ts',
    'core/rpc/',
  ),
  ...many('host-is-reached-by-index', 'core/policy/', 'core/host.ts', 'core/index.ts'),
];

const BETWEEN_THE_CIRCLES: readonly Mutation[] = [
  ...many('only-adapters-know-the-editor', 'core/policy/', 'vscode'),
  { rule: 'only-adapters-know-the-editor', from: 'core/model/', to: 'vscode', kind: 'type' },
  ...many('only-adapters-know-the-editor', 'node/', 'vscode'),
  ...many('only-adapters-know-the-editor', 'cli/', 'vscode'),
  ...many('only-adapters-know-the-editor', 'webview/', 'vscode'),
  ...many('core-has-no-runtime', 'core/rpc/', 'node:fs'),
  ...many('core-has-no-runtime', 'webview/', 'node:path'),
  ...many('core-never-looks-out', 'core/host.ts', 'node/', 'editor/', 'cli/', 'webview/', 'demo/', 'extension.ts'),
  ...many('one-door', 'node/', 'core/rpc/'),
  ...many('one-door', 'editor/', 'core/policy/'),
  ...many('one-door', 'cli/', 'core/host.ts'),
  ...many('one-door', 'extension.ts', 'core/ports.ts'),
  { rule: 'one-door', from: 'editor/', to: 'core/model/', kind: 'type' },
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
  ...many('only-the-judge-knows-schemas', 'node/', '@cfworker/json-schema'),
  ...many('only-sign-in-knows-oauth', 'node/', 'oauth4webapi'),
  ...many('only-web-socket-knows-ws', 'node/', 'ws'),
  ...many('only-engine-knows-vscode-jsonrpc', 'core/session/', 'vscode-jsonrpc'),
  ...many('only-engine-knows-vscode-jsonrpc', 'core/rpc/', 'vscode-jsonrpc'),
  ...many('only-scopes-know-minimatch', 'core/policy/', 'minimatch'),
  ...many('the-store-has-a-side-door', 'node/store/', 'core/rpc/', 'core/policy/', 'core/host.ts'),
  ...many('only-patches-know-rfc6902', 'core/features/', 'rfc6902'),
  ...many('only-patches-know-rfc6902', 'node/store/', 'rfc6902'),
  ...many('only-node-knows-cross-spawn', 'cli/', 'cross-spawn'),
  ...many('only-settings-files-are-jsonc', 'node/', 'jsonc-parser'),
  ...many('no-other-packages', 'core/wire/', 'fast-check'),
  ...many('no-other-packages', 'node/', 'mocha'),
  ...many('imports-resolve', 'core/base/', './nowhere.ts'),
];

/** Two files in a circle, and a file that nobody imports, need more than one import: the test makes them. */
export const MADE_BY_HAND = ['no-cycles', 'no-orphans'] as const;

export const MUTATIONS: readonly Mutation[] = [...INSIDE_THE_CORE, ...BETWEEN_THE_CIRCLES, ...PACKAGES];
