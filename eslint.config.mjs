import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

const VSCODE = { name: 'vscode', message: 'Only src/editor and src/extension.ts know the editor.' };
const JSON_RPC = {
  regex: '^vscode-jsonrpc(/|$)',
  message: 'Only src/core/rpc/inboundRequests.ts uses this library: it avoids the traps.',
};
const NODE = { regex: '^node:', message: 'This code runs anywhere: what it needs of Node comes through a port.' };
const DOOR = {
  regex: '(^|/)core/(?!index\\.ts$)',
  message: 'The core has one door: import core/index.ts.',
};
/** The store's thread would load the whole core through this file. */
const SIDE_DOOR = {
  regex: '(^|/)core/(?!index\\.ts$|states/patches/|model/lineage\\.ts$)',
  message: 'The store takes core/states/patches and core/model/lineage.ts, and types of core/index.ts.',
};

/** A later block replaces the options of a rule, so every folder lists all of them. */
const imports = (paths, patterns) => ({ 'no-restricted-imports': ['error', { paths, patterns }] });

const ambient = (names, message) => names.map((name) => ({ name, message }));

/** Globals that the core must not use. The compiler forbids most; this names the reason. */
const CORE_GLOBALS = [
  ...ambient(
    ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'performance'],
    'Time comes through the Clock port.',
  ),
  ...ambient(['process', 'Buffer', 'require', 'module', '__dirname'], 'The core does not know Node.'),
  ...ambient(['fetch', 'WebSocket', 'crypto'], 'Network and randomness come through ports.'),
  ...ambient(['window', 'document', 'navigator', 'globalThis'], 'The core does not know where it runs.'),
];

const NOW = 'Time comes through the Clock port.';
const CORE_PROPERTIES = [
  { object: 'Date', property: 'now', message: NOW },
  { object: 'Math', property: 'random', message: 'Randomness comes through the Ids port.' },
];
const CORE_SYNTAX = [{ selector: 'NewExpression[callee.name="Date"][arguments.length=0]', message: NOW }];

/** `notify` escapes the text and handles late answers. */
const NOTIFICATION_SYNTAX = [
  {
    selector: 'Identifier[name=/^show(Information|Warning|Error)Message$/]',
    message: 'Show notifications with notify() of src/editor/shared/notify.ts.',
  },
];

const typescript = {
  '@typescript-eslint/await-thenable': 'error',
  '@typescript-eslint/consistent-type-exports': 'error',
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-non-null-assertion': 'error',
  '@typescript-eslint/no-unused-vars': [
    'error',
    { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrors: 'all' },
  ],
  '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
  '@typescript-eslint/return-await': ['error', 'error-handling-correctness-only'],
  // A default case counts as a decision, but missing cases without one do not.
  '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
  // An implementation of an asynchronous port may be synchronous.
  '@typescript-eslint/require-await': 'off',
};

const everywhere = {
  complexity: ['error', 15],
  eqeqeq: 'error',
  'no-implicit-coercion': ['error', { allow: ['!!'] }],
  'no-restricted-exports': [
    'error',
    { restrictDefaultExports: { direct: true, named: true, defaultFrom: true, namedFrom: true, namespaceFrom: true } },
  ],
  'no-restricted-properties': [
    'error',
    ...['describe', 'it', 'suite', 'test'].map((object) => ({
      object,
      property: 'only',
      message: 'It would leave the other tests out.',
    })),
  ],
  'no-var': 'error',
  'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx', 'hack'], location: 'anywhere' }],
  'object-shorthand': 'error',
  'prefer-const': 'error',
};

export default defineConfig([
  globalIgnores(['dist/', 'out/', '.vscode-test/', '**/node_modules/']),
  // Rules cannot be disabled inline. A rule that does not fit is changed here for all files.
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  { files: ['**/*.{mjs,cjs,js}'], rules: { ...everywhere, 'no-unused-vars': 'error', 'max-lines': ['error', 400] } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: { ...everywhere, ...typescript },
  },
  {
    files: ['src/**/*.ts'],
    rules: {
      'max-lines': ['error', 600],
      'no-console': 'error',
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'never' }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/prefer-readonly': 'error',
    },
  },
  {
    files: ['src/core/**/*.ts'],
    rules: {
      ...imports([VSCODE], [NODE, JSON_RPC]),
      'no-restricted-globals': ['error', ...CORE_GLOBALS],
      'no-restricted-properties': ['error', ...CORE_PROPERTIES],
      'no-restricted-syntax': ['error', ...CORE_SYNTAX],
    },
  },
  { files: ['src/core/rpc/inboundRequests.ts'], rules: imports([VSCODE], [NODE]) },
  // Files that convert bytes to typed values, and no others.
  {
    files: ['src/core/wire/**/*.ts'],
    rules: { '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }] },
  },
  { files: ['src/node/**/*.ts', 'src/cli/**/*.ts'], rules: imports([VSCODE], [DOOR, JSON_RPC]) },
  { files: ['src/node/store/**/*.ts'], rules: imports([VSCODE], [SIDE_DOOR, JSON_RPC]) },
  { files: ['src/editor/**/*.ts', 'src/extension.ts'], rules: imports([], [DOOR, JSON_RPC]) },
  {
    files: ['src/editor/**/*.ts', 'src/extension.ts'],
    ignores: ['src/editor/shared/notify.ts'],
    rules: { 'no-restricted-syntax': ['error', ...NOTIFICATION_SYNTAX] },
  },
  { files: ['src/webview/**/*.ts'], rules: imports([VSCODE], [NODE, JSON_RPC]) },
  { files: ['src/demo/**/*.ts'], rules: imports([VSCODE], [JSON_RPC]) },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': ['error', 600],
      // Tests read answers of unknown shape and assert their content.
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  { files: ['test/unit/**/*.ts', 'test/node/**/*.ts'], rules: imports([VSCODE], []) },
  { files: ['*.mjs', '*.cjs'], rules: { 'no-restricted-exports': 'off' } },
]);
