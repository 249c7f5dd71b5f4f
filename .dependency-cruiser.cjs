/**
 * Who may import whom. One table for the inside of the core (what is not listed is forbidden), one rule for each
 * border outside it. test/architecture/layers.test.ts sees every rule of this file fire.
 */
const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

const anyOf = (paths) => `^src/core/(${paths.join('|')})`;

/** Each part of the core, and what it may import besides itself. */
const CORE = [
  ['base-is-a-leaf', 'base/', []],
  ['model-knows-only-base', 'model/', ['base/']],
  ['rpc-knows-no-protocol', 'rpc/', ['base/']],
  [
    'ports-are-words-only',
    'ports\\.ts$',
    ['base/', 'model/', 'rpc/transport\\.ts$', 'inputPorts\\.ts$', 'modelPorts\\.ts$'],
  ],
  ['model-ports-are-words-only', 'modelPorts\\.ts$', ['base/', 'model/']],
  ['input-ports-are-words-only', 'inputPorts\\.ts$', ['base/', 'model/', 'form/fields\\.ts$']],
  ['host-types-are-words-only', 'hostTypes\\.ts$', ['base/', 'model/', 'trace/', 'ports\\.ts$', 'modelPorts\\.ts$']],
  ['wire-is-pure', 'wire/', ['base/', 'model/']],
  ['policy-is-pure', 'policy/', ['base/', 'model/', 'ports\\.ts$']],
  ['session-asks-no-policy', 'session/', ['base/', 'model/', 'rpc/', 'wire/', 'ports\\.ts$', 'hostTypes\\.ts$']],
  [
    'features-are-below-the-host',
    'features/',
    [
      'base/',
      'model/',
      'rpc/',
      'wire/',
      'policy/',
      'session/',
      'trace/',
      'form/',
      'mcpl/',
      'scopes/',
      'ports\\.ts$',
      'inputPorts\\.ts$',
      'hostTypes\\.ts$',
    ],
  ],
  [
    'mcpl-is-below-the-features',
    'mcpl/',
    [
      'base/',
      'model/',
      'rpc/',
      'wire/',
      'policy/',
      'session/session\\.ts$',
      'ports\\.ts$',
      'modelPorts\\.ts$',
      'hostTypes\\.ts$',
    ],
  ],
  ['state-is-pure', 'state/', ['base/', 'model/']],
  ['scopes-are-pure', 'scopes/', ['base/', 'model/', 'policy/', 'ports\\.ts$']],
  ['auth-is-pure', 'auth/', ['base/', 'model/']],
  ['trace-watches-transports', 'trace/', ['base/', 'model/', 'rpc/']],
  ['form-is-pure', 'form/', ['base/', 'model/']],
  [
    'gateway-sees-the-host-only',
    'gateway/',
    ['base/', 'model/', 'form/', 'ports\\.ts$', 'inputPorts\\.ts$', 'hostTypes\\.ts$'],
  ],
];

const layer = ([name, part, allowed]) =>
  forbid(
    name,
    `src/core/${part} may import ${allowed.join(', ') || 'nothing'}`,
    { path: `^src/core/${part}` },
    { path: '^src/core/', pathNot: anyOf([part, ...allowed]) },
  );

/** Where the bundles of esbuild.mjs begin. */
const STARTS = `^src/(${['extension', 'node/storeWorker', 'node/schemaWorker', 'node/schemaChecker', 'node/remote', 'node/children', 'node/gatewayServer', 'node/storeParts', 'core/hostCore', 'core/session/opener', 'core/session/credentials', 'core/mcpl/engine', 'core/features/scopeDesk', 'core/features/startInquiry', 'core/features/serverInputs', 'core/features/stateDesk', 'core/features/definitionTrust', 'editor/lineageDesk', 'editor/conversation', 'editor/extensionApi', 'editor/inbox', 'editor/pages', 'editor/approvalDesk', 'editor/serverRows', 'editor/settingsSyntax', 'cli/main', 'cli/library', 'demo/server', 'webview/toolForm', 'webview/trace', 'webview/question', 'webview/lineage'].join('|')})\\.ts$`;

const PACKAGES = [
  'vscode-jsonrpc',
  'cross-spawn',
  'jsonc-parser',
  'minimatch',
  '@cfworker/json-schema',
  'oauth4webapi',
  'rfc6902',
  'ws',
  '@types/(vscode|cross-spawn|ws)',
];

const STORE = '^src/node/(store/|storeWorker)';
const OUTSIDE = '^src/(node|editor|cli|extension\\.ts$)';

module.exports = {
  forbidden: [
    forbid('no-cycles', 'A cycle has no bottom.', {}, { circular: true }),
    forbid(
      'no-orphans',
      'What no bundle reaches is dead.',
      { path: STARTS },
      { path: '^src/', pathNot: ['\\.d\\.ts$', STARTS], reachable: false },
    ),
    forbid(
      'imports-resolve',
      'An import that leads nowhere hides from every other rule.',
      {},
      { couldNotResolve: true },
    ),
    ...CORE.map(layer),
    forbid(
      'host-is-reached-by-index',
      'Only the door opens on the composition root.',
      { path: '^src/core/', pathNot: '^src/core/(index|hostCore)\\.ts$' },
      { path: '^src/core/(host|index)\\.ts$' },
    ),
    forbid(
      'only-adapters-know-the-editor',
      'Everything else runs without it.',
      { path: '^src/', pathNot: '^src/(editor/|extension\\.ts$)' },
      { path: '(^vscode$|@types/vscode)' },
    ),
    forbid(
      'core-has-no-runtime',
      'The core and the views run anywhere.',
      { path: '^src/(core|webview)/' },
      { dependencyTypes: ['core'] },
    ),
    forbid('core-never-looks-out', 'Adapters know the core.', { path: '^src/core/' }, { path: '^src/(?!core/)' }),
    forbid(
      'one-door',
      'The core shows what it offers in index.ts.',
      { path: OUTSIDE, pathNot: STORE },
      { path: '^src/core/', pathNot: '^src/core/index\\.ts$' },
    ),
    forbid(
      'the-store-has-a-side-door',
      'Its thread loads what makes states of patches, and nothing else of the core.',
      { path: STORE },
      { path: '^src/core/', pathNot: '^src/core/(index\\.ts$|state/|model/lineage\\.ts$)' },
    ),
    forbid(
      'node-is-a-stranger',
      'Adapters do not know each other.',
      { path: '^src/node/' },
      { path: '^src/(?!node/|core/)' },
    ),
    forbid(
      'editor-is-a-stranger',
      'Adapters do not know each other.',
      { path: '^src/editor/' },
      { path: '^src/(?!editor/|core/|webview/(messages|questionMessages|traceMessages|lineageMessages)\\.ts$)' },
    ),
    forbid(
      'cli-is-a-host-without-editor',
      'It is built of the core and the Node adapters.',
      { path: '^src/cli/' },
      { path: '^src/(?!cli/|node/|core/)' },
    ),
    forbid(
      'extension-composes',
      'It joins the core, the Node adapters and the editor adapters.',
      { path: '^src/extension\\.ts$' },
      { path: '^src/(?!core/|node/|editor/)' },
    ),
    forbid('cli-is-an-end', 'Nobody imports it.', { path: '^src/(?!cli/)' }, { path: '^src/cli/' }),
    forbid('extension-is-an-end', 'Nobody imports it.', {}, { path: '^src/extension\\.ts$' }),
    forbid('webview-is-alone', 'A view knows its messages.', { path: '^src/webview/' }, { path: '^src/(?!webview/)' }),
    forbid(
      'demo-is-alone',
      'The demo server runs from a single file with nothing installed.',
      { path: '^src/demo/' },
      { path: '.', pathNot: '^src/demo/', dependencyTypesNot: ['core'] },
    ),
    forbid('demo-is-an-end', 'It is a program of its own.', { path: '^src/(?!demo/)' }, { path: '^src/demo/' }),
    forbid(
      'only-engine-knows-vscode-jsonrpc',
      'Its traps are closed in one place.',
      { path: '^src/', pathNot: '^src/core/rpc/engine\\.ts$' },
      { path: 'vscode-jsonrpc' },
    ),
    forbid(
      'only-scopes-know-minimatch',
      'What a pattern may be, and how it is matched, is fixed in one place.',
      { path: '^src/', pathNot: '^src/core/scopes/' },
      { path: 'minimatch' },
    ),
    forbid(
      'only-patches-know-rfc6902',
      'What it does not check is checked in one place.',
      { path: '^src/', pathNot: '^src/core/state/patch' },
      { path: 'rfc6902' },
    ),
    forbid(
      'only-node-knows-cross-spawn',
      'Processes are started in one place.',
      { path: '^src/', pathNot: '^src/node/' },
      { path: 'cross-spawn' },
    ),
    forbid(
      'only-settings-files-are-jsonc',
      'Comments and positions matter only where a person writes settings.',
      { path: '^src/', pathNot: '^src/(editor|cli)/' },
      { path: 'jsonc-parser' },
    ),
    forbid(
      'only-the-judge-knows-schemas',
      'Schemas of strangers are judged in a thread that can be ended.',
      { path: '^src/', pathNot: '^src/node/(schemaJudge|dynamicRefs)\\.ts$' },
      { path: '@cfworker/json-schema' },
    ),
    forbid(
      'only-sign-in-knows-oauth',
      'Credentials are handled in one place.',
      { path: '^src/', pathNot: '^src/node/auth/' },
      { path: 'oauth4webapi' },
    ),
    forbid(
      'only-web-socket-knows-ws',
      'One transport uses it.',
      { path: '^src/', pathNot: '^src/node/webSocket' },
      { path: 'node_modules/(@types/)?ws/' },
    ),
    forbid(
      'no-other-packages',
      'docs/dependencies.md says of each package why it is here.',
      { path: '^src/' },
      { path: 'node_modules/', pathNot: `node_modules/(${PACKAGES.join('|')})/` },
    ),
  ],
  options: {
    // Without it imports of types are invisible.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.cjs', '.js', '.json', '.d.ts'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
    },
  },
};
