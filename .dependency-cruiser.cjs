/**
 * Which files may import which: the folders of a circle by the table in `.dependency-cruiser.folders.cjs`, and one rule
 * for each border between the circles. test/architecture/layers.test.ts breaks every rule of this file.
 */
const CIRCLES = require('./.dependency-cruiser.folders.cjs');

const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to });

/** A rule for each folder of a circle: it may import itself and what the table lists, and nothing else of the circle. */
const folderRules = Object.entries(CIRCLES).flatMap(([circle, folders]) => {
  const pathOf = (part) => `${circle}/${part}`.replaceAll('.', '\\.');
  return Object.entries(folders).map(([part, allowed]) => {
    const own = Object.keys(folders).filter((other) => other !== part && other.startsWith(part));
    return forbid(
      `folder ${circle}/${part}`,
      `src/${circle}/${part} may import ${allowed.join(', ') || 'nothing'} of its circle`,
      { path: `^src/${pathOf(part)}`, ...(own.length > 0 && { pathNot: `^src/(${own.map(pathOf).join('|')})` }) },
      {
        path: `^src/${circle}/`,
        pathNot: `^src/(${[part, ...allowed].map(pathOf).join('|')})`,
      },
    );
  });
});

/** Where bundles begin. */
const STARTS = `^(${require('./bundles.cjs')
  .flatMap(({ entry, parts }) => parts ?? [entry])
  .join('|')
  .replaceAll('.', '\\.')})$`;

/** Pure decisions, which depend only on their arguments. */
const DECISIONS = [
  'consent/(mcplGrants|startConsent|startQuestion|startRemarks|startVariables)',
  'consent/(editorPolicy|toolTrust|windowLimits)',
  'mcpl/(featureSets|stateSets|toolFeatureSets|offerSets)',
  'scopes/paths/toolScopes',
];
const PURE = `^src/core/(${DECISIONS.join('|')})\\.ts$`;

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

const STORE = '^src/node/store/';
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
    ...folderRules,
    forbid(
      'host-is-reached-by-index',
      'Only the door opens on the composition root.',
      { path: '^src/core/', pathNot: '^src/core/(host/|index\\.ts$)' },
      { path: '^src/core/(host/|index\\.ts$)' },
    ),
    forbid(
      'decisions-are-pure',
      'A policy is a function of what it is given.',
      { path: PURE },
      { path: '^src/core/', pathNot: `^src/core/(base/|model/|ports\\.ts$)|${PURE}` },
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
      { path: '^src/core/', pathNot: '^src/core/(index\\.ts$|states/patches/|model/lineage\\.ts$)' },
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
      {
        path: '^src/(?!editor/|core/|webview/(form/(formM|questionM)essages|trace/traceMessages|lineage/lineageMessages)\\.ts$)',
      },
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
      'only-inbound-requests-uses-vscode-jsonrpc',
      'Its traps are closed in one place.',
      { path: '^src/', pathNot: '^src/core/rpc/inboundRequests\\.ts$' },
      { path: 'vscode-jsonrpc' },
    ),
    forbid(
      'only-scopes-know-minimatch',
      'What a pattern may be, and how it is matched, is fixed in one place.',
      { path: '^src/', pathNot: '^src/core/scopes/paths/' },
      { path: 'minimatch' },
    ),
    forbid(
      'only-patches-know-rfc6902',
      'What it does not check is checked in one place.',
      { path: '^src/', pathNot: '^src/core/states/patches/patch' },
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
      { path: '^src/', pathNot: '^src/node/schemas/schemaJudge\\.ts$' },
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
      { path: '^src/', pathNot: '^src/node/http/webSocket' },
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
    // Includes imports of types.
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
