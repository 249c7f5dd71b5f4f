/**
 * Each folder (or file at the top of its circle), and the others of its circle that it may import besides itself. All
 * other imports between them are errors; `.dependency-cruiser.cjs` makes the rules, and test/architecture breaks each.
 * A folder includes its subfolders, unless they are listed themselves.
 */
const PORTS = ['ports.ts', 'inputPorts.ts', 'modelPorts.ts', 'hostTypes.ts'];

const core = {
  'base/': [],
  'model/': ['base/'],
  'rpc/': ['base/'],
  'ports.ts': ['base/', 'model/', 'rpc/', 'inputPorts.ts', 'modelPorts.ts'],
  'modelPorts.ts': ['base/', 'model/'],
  'inputPorts.ts': ['base/', 'model/', 'form/'],
  'hostTypes.ts': ['base/', 'model/', 'trace/', 'ports.ts', 'modelPorts.ts'],
  'wire/': ['base/', 'model/'],
  'session/': ['base/', 'model/', 'rpc/', 'wire/', 'ports.ts', 'hostTypes.ts'],
  'trace/': ['base/', 'model/', 'rpc/'],
  'auth/': ['base/', 'model/'],
  'form/': ['base/', 'model/'],
  'gateway/': ['base/', 'model/', 'form/', 'approvals/', 'ports.ts', 'inputPorts.ts', 'hostTypes.ts'],
  'approvals/': ['base/', 'model/', 'ports.ts', 'hostTypes.ts'],
  'audit/': ['base/', 'model/', 'ports.ts', 'hostTypes.ts'],
  'inputs/': ['base/', 'model/', 'form/', 'rpc/', 'wire/', 'session/', 'inputPorts.ts'],
  'calls/': ['base/', 'model/', 'form/', 'rpc/', 'wire/', 'session/', 'inputs/', 'ports.ts', 'inputPorts.ts'],
  'scopes/paths/': ['base/', 'model/', 'ports.ts'],
  'states/patches/': ['base/', 'model/'],
  'mcpl/': ['base/', 'model/', 'rpc/', 'wire/', 'session/', 'audit/', 'calls/', 'scopes/paths/', 'ports.ts'],
  'consent/': ['base/', 'model/', 'session/', 'mcpl/', 'scopes/paths/', 'ports.ts'],
  'offer/': ['base/', 'model/', 'wire/', 'session/', 'mcpl/', 'consent/', 'ports.ts'],
  'logging/': ['base/', 'model/', 'rpc/', 'wire/', 'session/', 'offer/', 'hostTypes.ts'],
  'events/': ['base/', 'model/', 'rpc/', 'wire/', 'mcpl/', 'audit/', 'ports.ts', 'hostTypes.ts'],
  'scopes/': [
    ...['base/', 'model/', 'rpc/', 'wire/', 'session/', 'scopes/paths/', 'approvals/', 'audit/', 'calls/', 'mcpl/'],
    'ports.ts',
  ],
  'states/': [
    ...['base/', 'model/', 'wire/', 'session/', 'states/patches/', 'audit/', 'calls/', 'mcpl/'],
    ...['ports.ts', 'hostTypes.ts'],
  ],
  'turns/': [
    ...['base/', 'model/', 'rpc/', 'wire/', 'mcpl/', 'audit/', 'events/'],
    ...['ports.ts', 'modelPorts.ts', 'hostTypes.ts'],
  ],
  // The only composer: it joins all of the above.
  'host/': [
    ...['base/', 'model/', 'rpc/', 'wire/', 'session/', 'trace/', 'scopes/paths/'],
    ...['approvals/', 'audit/', 'inputs/', 'calls/', 'mcpl/', 'consent/', 'offer/', 'logging/', 'events/', 'scopes/'],
    ...['states/', 'turns/'],
    ...PORTS,
  ],
};

const editor = {
  'shared/': [],
  'settings/': ['shared/'],
  'audit/': ['shared/'],
  'approvals/': ['shared/'],
  'lineage/': ['shared/', 'approvals/'],
  'models/': ['shared/'],
  'hooks/': ['shared/', 'models/'],
  'chat/': ['shared/', 'lineage/', 'models/'],
  'controlTools/': ['shared/', 'chat/', 'lineage/'],
  'tools/': ['shared/', 'lineage/'],
  'trace/': ['shared/', 'lineage/'],
  'featureSets/': ['shared/', 'approvals/', 'lineage/'],
  'questions/': ['shared/', 'models/', 'tools/'],
  'offers/': ['shared/', 'chat/'],
  'servers/': ['shared/', 'settings/', 'featureSets/', 'lineage/', 'models/', 'questions/'],
  'gateway/': ['shared/', 'settings/', 'chat/'],
  'events/': ['shared/', 'offers/'],
  'api/': ['shared/', 'settings/', 'servers/', 'lineage/', 'gateway/', 'models/', 'events/'],
};

const node = {
  'nodePorts.ts': [],
  'backgroundClock.ts': [],
  'process/': ['nodePorts.ts'],
  'names/': ['nodePorts.ts'],
  'schemas/': [],
  'store/': [],
  'http/': ['process/', 'backgroundClock.ts'],
  'gateway/': ['http/', 'backgroundClock.ts'],
  'auth/': ['http/', 'gateway/', 'backgroundClock.ts'],
  'remoteConnector.ts': ['auth/', 'http/'],
  'connector.ts': ['auth/', 'process/', 'http/', 'remoteConnector.ts'],
};

const webview = {
  'shared/': [],
  'form/': ['shared/'],
  'trace/': ['shared/'],
  'lineage/': ['shared/'],
};

module.exports = { core, editor, node, webview };
