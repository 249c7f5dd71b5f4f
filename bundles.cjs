/**
 * Every file of `dist/`, which `esbuild.mjs` builds. A bundle has either an `entry`, which is a program or a page, or
 * `parts`, whose exports it exports to the bundles in `loadedBy`. Each `import()` there of one of the parts becomes a
 * `require` of the bundle; so does an `import` at the top of a file if the bundle is `shared`. Bundles in `sharedWith` also
 * import parts, of a bundle that is already loaded.
 *
 * The build fails if a bundle imports a part without being in these lists, or is there without importing one. Starters
 * that are no bundles are named in words. docs/internals/bundles.md has the same table for people, and a test compares the two.
 *
 * `atStart`: the editor reads it when it starts, so its size counts. `editor`: it uses the API of the editor.
 */
const EVERY_HOST = ['extension.js', 'host.cjs'];

module.exports = [
  { to: 'extension.js', entry: 'src/extension.ts', loadedBy: ['the editor'], editor: true, atStart: true },
  {
    to: 'hostCore.js',
    parts: [
      'src/core/host/host.ts',
      'src/core/base/hiddenText.ts',
      'src/core/base/patience.ts',
      'src/core/base/throttle.ts',
      'src/core/model/settingRules.ts',
    ],
    loadedBy: EVERY_HOST,
    // They show or remove hidden characters, wait or throttle, and run only beside the host. Copies made the package 18 KB
    // larger.
    sharedWith: [
      ...['opener.js', 'engine.js', 'serverInputs.js', 'scopeDecider.js', 'stateService.js', 'remote.js'],
      ...['gatewayServer.js', 'extensionApi.js', 'serverRows.js', 'approvalUi.js', 'inbox.js', 'lineageUi.js'],
      ...['conversation.js', 'pages.js'],
    ],
    shared: true,
    atStart: true,
  },

  // Loaded by the host when the first server starts, or when a call needs it.
  { to: 'opener.js', parts: ['src/core/session/opener.ts'], loadedBy: ['hostCore.js'] },
  { to: 'credentials.js', parts: ['src/core/session/credentials.ts'], loadedBy: ['hostCore.js'] },
  { to: 'engine.js', parts: ['src/core/host/engine.ts'], loadedBy: ['hostCore.js'] },
  {
    to: 'serverInputs.js',
    parts: ['src/core/host/serverInputs.ts', 'src/core/host/callInterceptors.ts'],
    loadedBy: ['hostCore.js'],
  },
  { to: 'startInquiry.js', parts: ['src/core/consent/startInquiry.ts'], loadedBy: ['hostCore.js'] },
  { to: 'definitionTrust.js', parts: ['src/core/consent/definitionTrust.ts'], loadedBy: ['hostCore.js'] },
  { to: 'scopeDecider.js', parts: ['src/core/scopes/scopeDecider.ts'], loadedBy: ['hostCore.js'] },
  { to: 'stateService.js', parts: ['src/core/states/stateService.ts'], loadedBy: ['hostCore.js'] },

  // Platform code of every host.
  { to: 'children.js', parts: ['src/node/process/lazy.ts'], loadedBy: EVERY_HOST },
  { to: 'remote.js', parts: ['src/node/remoteConnector.ts'], loadedBy: EVERY_HOST },
  { to: 'gatewayServer.js', parts: ['src/node/gateway/gatewayServer.ts'], loadedBy: ['extension.js'] },
  { to: 'storeWorker.js', entry: 'src/node/store/storeWorker.ts', loadedBy: EVERY_HOST },
  {
    to: 'storeParts.js',
    parts: ['src/node/store/storeParts.ts'],
    loadedBy: ['storeWorker.js', 'host.cjs'],
    shared: true,
  },
  { to: 'schemaChecker.js', parts: ['src/node/schemas/schemaChecker.ts'], loadedBy: ['extension.js'] },
  { to: 'schemaWorker.js', entry: 'src/node/schemas/schemaWorker.ts', loadedBy: EVERY_HOST },
  { to: 'demo.js', entry: 'src/demo/server.ts', loadedBy: EVERY_HOST },

  // Loaded by the editor on first use.
  {
    to: 'serverTreeProvider.js',
    parts: ['src/editor/servers/serverTreeProvider.ts'],
    loadedBy: ['extension.js'],
    editor: true,
  },
  { to: 'approvalUi.js', parts: ['src/editor/approvals/lazy.ts'], loadedBy: ['extension.js'], editor: true },
  {
    to: 'inbox.js',
    parts: ['src/editor/events/lazy.ts', 'src/editor/audit/auditDocument.ts'],
    loadedBy: ['extension.js'],
    editor: true,
  },
  {
    to: 'lineageUi.js',
    parts: ['src/editor/lineage/lazy.ts', 'src/editor/controlTools/controlTools.ts'],
    loadedBy: ['extension.js'],
    editor: true,
  },
  {
    to: 'conversation.js',
    parts: ['src/editor/chat/lazy.ts', 'src/editor/hooks/lazy.ts', 'src/editor/models/lazy.ts'],
    loadedBy: ['extension.js'],
    editor: true,
  },
  {
    to: 'pages.js',
    parts: [
      'src/editor/featureSets/featureSetDialogs.ts',
      'src/editor/offers/lazy.ts',
      'src/editor/questions/lazy.ts',
      'src/editor/servers/lazy.ts',
      'src/editor/settings/weakeningPrompt.ts',
      'src/editor/tools/lazy.ts',
      'src/editor/trace/tracePanel.ts',
    ],
    loadedBy: ['extension.js'],
    editor: true,
  },
  {
    to: 'settingsSyntax.js',
    parts: ['src/editor/settings/settingLocator.ts', 'src/editor/settings/settingsText.ts'],
    loadedBy: ['extension.js'],
  },
  { to: 'extensionApi.js', parts: ['src/editor/api/extensionApi.ts'], loadedBy: ['extension.js'] },

  { to: 'host.cjs', parts: ['src/cli/library.ts'], loadedBy: ['cli.js', 'a program'], shared: true },
  { to: 'cli.js', entry: 'src/cli/main.ts', loadedBy: ['a terminal'], hashbang: true },

  { to: 'webview/toolForm.js', entry: 'src/webview/form/toolForm.ts', loadedBy: ['a webview'] },
  { to: 'webview/question.js', entry: 'src/webview/form/question.ts', loadedBy: ['a webview'] },
  { to: 'webview/trace.js', entry: 'src/webview/trace/trace.ts', loadedBy: ['a webview'] },
  { to: 'webview/lineage.js', entry: 'src/webview/lineage/lineage.ts', loadedBy: ['a webview'] },
];
