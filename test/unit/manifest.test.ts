import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { DEFAULT_LIMITS } from '../../src/core/index.ts';
import { DEFAULT_MCPL } from '../../src/core/model/mcplDefaults.ts';
import { MCPL_CHOICES } from '../../src/core/session/entryDecoder.ts';
import { MIN_LIMITS, MAX_LIMITS } from '../../src/core/model/server.ts';
import {
  APPROVALS_VIEW,
  CHAT_COMMANDS,
  CHAT_PARTICIPANT,
  CHAT_PLUGIN,
  COMMANDS,
  CONTEXT_KEYS,
  CONTROL_TOOLS,
  DEMO_COMMAND,
  EVENT_SCHEME,
  EVENTS_VIEW,
  EXTENSION_ID,
  FACETS,
  GATEWAY_PROVIDER,
  LINEAGE_PANEL,
  LINEAGE_VIEW,
  MODEL_VENDOR,
  SCHEMES,
  SERVERS_VIEW,
  SETTINGS,
  TRACE_VIEW,
  WALKTHROUGH,
} from '../../src/editor/shared/ids.ts';
import { DEMO_COMMAND as RUN_AS_DEMO } from '../../src/node/connector.ts';

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Partial<Property>>>;
  readonly additionalProperties?: Partial<Property>;
}

interface MenuItem {
  readonly command: string;
  readonly when: string;
  readonly group?: string;
}

interface Contributes {
  readonly commands: readonly { readonly command: string; readonly title: string }[];
  readonly configuration: readonly { readonly properties: Readonly<Record<string, Property>> }[];
  readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
  readonly viewsContainers: { readonly activitybar: readonly { readonly icon: string }[] };
  readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
  readonly menus: Readonly<Record<string, readonly MenuItem[]>>;
  readonly mcpServerDefinitionProviders: readonly { readonly id: string }[];
  readonly languageModelTools: readonly {
    readonly name: string;
    readonly modelDescription: string;
    readonly toolReferenceName: string;
    readonly inputSchema: { readonly properties: Readonly<Record<string, { readonly description?: string }>> };
  }[];
  readonly languageModelChatProviders: readonly { readonly vendor: string; readonly when: string }[];
  readonly chatPlugins: readonly { readonly path: string; readonly when: string }[];
  readonly chatParticipants: readonly {
    readonly id: string;
    readonly name: string;
    readonly commands: readonly { readonly name: string }[];
  }[];
  readonly walkthroughs: readonly { readonly id: string; readonly steps: readonly Step[] }[];
}

interface Step {
  readonly id: string;
  readonly description: string;
  readonly media: { readonly markdown: string };
}

interface Manifest {
  readonly name: string;
  readonly publisher: string;
  readonly activationEvents: readonly string[];
  readonly extensionKind: readonly string[];
  readonly enabledApiProposals?: readonly string[];
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly supported: string; readonly restrictedConfigurations: readonly string[] };
    readonly virtualWorkspaces: { readonly supported: boolean };
  };
  readonly contributes: Contributes;
}

const root = new URL('../../', import.meta.url);
const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));
const manifest = read('package.json') as Manifest;
const nls = read('package.nls.json') as Readonly<Record<string, string>>;
const { contributes } = manifest;
const { commands } = contributes;
const properties = Object.assign({}, ...contributes.configuration.map((part) => part.properties)) as Readonly<
  Record<string, Property>
>;
const textOf = (placeholder: string): string => nls[placeholder.slice(1, -1)] ?? '';

/** Every string of the manifest that needs a translation in package.nls.json. */
function placeholders(value: unknown): readonly string[] {
  if (typeof value === 'string') return /^%(.+)%$/.exec(value)?.slice(1) ?? [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(placeholders) : [];
}

function whens(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === 'when' && typeof member === 'string' ? [member] : whens(member),
  );
}

/** The commands of a view item with this `contextValue`, by group. */
function itemCommands(contextValue: string): readonly string[] {
  return (contributes.menus['view/item/context'] ?? [])
    .filter(({ when }) => {
      const pattern = /viewItem =~ \/(.*)\/$/.exec(when)?.[1];
      return pattern !== undefined && new RegExp(pattern).test(contextValue);
    })
    .map(({ group, command }) => `${group} ${command}`)
    .sort();
}

const inline = (contextValue: string): readonly string[] =>
  itemCommands(contextValue).filter((entry) => entry.startsWith('inline'));

suite('package.json and the ids of the code', () => {
  test('name the same commands', () => {
    assert.deepEqual(commands.map(({ command }) => command).sort(), Object.values(COMMANDS).sort());
  });

  test('name the same settings, views, context keys and providers', () => {
    assert.deepEqual(Object.keys(properties).sort(), Object.values(SETTINGS).sort());
    assert.deepEqual(
      Object.values(contributes.views)
        .flat()
        .map(({ id }) => id),
      [SERVERS_VIEW, EVENTS_VIEW, APPROVALS_VIEW, LINEAGE_VIEW],
    );
    const keys = whens(contributes).flatMap((when) => when.match(/\bmcpl:\w+/g) ?? []);
    assert.deepEqual([...new Set(keys)].sort(), Object.values(CONTEXT_KEYS).sort());
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      [GATEWAY_PROVIDER],
    );
    assert.deepEqual(contributes.languageModelChatProviders, [
      { vendor: MODEL_VENDOR, displayName: '%models.vendor%', when: `config.${SETTINGS.modelsWrap} != '[]'` },
    ]);
    assert.deepEqual(contributes.chatPlugins, [{ path: CHAT_PLUGIN, when: `config.${SETTINGS.chatHooksEnabled}` }]);
    assert.deepEqual(
      contributes.chatParticipants.map(({ id, name }) => [id, name]),
      [[CHAT_PARTICIPANT, 'mcpl']],
    );
    assert.deepEqual(
      contributes.chatParticipants.flatMap((each) => each.commands.map(({ name }) => name)),
      CHAT_COMMANDS,
    );
  });

  test('name the same tools for models, each of which says what it and its members are', () => {
    const tools = contributes.languageModelTools;
    assert.deepEqual(tools.map(({ name }) => name).sort(), Object.values(CONTROL_TOOLS).sort());
    for (const { name, modelDescription, toolReferenceName, inputSchema } of tools) {
      assert.ok(modelDescription.length > 100 && toolReferenceName !== '', name);
      for (const [key, member] of Object.entries(inputSchema.properties))
        assert.ok(member.description, `${name} ${key}`);
    }
  });

  test('agree on who the extension is, and on the name of the demo', () => {
    assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION_ID);
    assert.equal(DEMO_COMMAND, RUN_AS_DEMO);
  });

  test('know the same facets of tree items', () => {
    const patterns = whens(contributes.menus).flatMap((when) => /viewItem =~ \/(.*)\/$/.exec(when)?.slice(1) ?? []);
    const words = patterns.flatMap((pattern) => pattern.replaceAll('\\b', ' ').match(/\w+/g) ?? []);
    const known: readonly string[] = Object.values(FACETS);
    assert.deepEqual(
      [...new Set(words)].filter((word) => !known.includes(word)),
      [],
    );
  });

  test('refer to commands and views that exist', () => {
    const ids: readonly string[] = Object.values(COMMANDS);
    const menus = Object.values(contributes.menus).flat();
    assert.deepEqual(
      menus.map(({ command }) => command).filter((id) => !ids.includes(id)),
      [],
    );
    const linked = (text: string): readonly string[] =>
      [...textOf(text).matchAll(/\(command:([\w.]+)[)?]/g)].flatMap((match) => match[1] ?? []);
    assert.deepEqual(contributes.viewsWelcome.flatMap(({ contents }) => linked(contents)).sort(), [
      COMMANDS.featureSetsChoose,
      COMMANDS.demoTry,
      COMMANDS.serverAdd,
      'workbench.trust.manage',
    ]);
    const views: readonly string[] = [SERVERS_VIEW, EVENTS_VIEW, APPROVALS_VIEW];
    for (const { view } of contributes.viewsWelcome) assert.ok(views.includes(view), view);
    const [walkthrough] = contributes.walkthroughs;
    assert.equal(walkthrough?.id, WALKTHROUGH);
    assert.deepEqual(
      walkthrough.steps.flatMap(({ description }) => linked(description)),
      [
        COMMANDS.demoTry,
        COMMANDS.featureSetsChoose,
        `${EVENTS_VIEW}.focus`,
        'workbench.action.chat.open',
        `${APPROVALS_VIEW}.focus`,
        `${LINEAGE_VIEW}.focus`,
        COMMANDS.auditShow,
      ],
    );
  });
});

suite('package.nls.json', () => {
  test('has every text of the manifest and no other', () => {
    assert.deepEqual([...new Set(placeholders(manifest))].sort(), Object.keys(nls).sort());
  });

  test('leaves no text for people in the manifest itself', () => {
    const shown = [
      'title',
      'description',
      'markdownDescription',
      'label',
      'category',
      'contents',
      'displayName',
      'userDescription',
    ];
    const raw: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, member] of Object.entries(value)) {
        if (shown.includes(key) && typeof member === 'string' && !/^%.+%$/.test(member)) raw.push(`${key}: ${member}`);
        // Models read this, so it has only one language.
        if (key !== 'inputSchema') walk(member);
      }
    };
    walk(contributes);
    assert.deepEqual(raw, []);
  });

  test('titles commands in Title Case', () => {
    const small = ['as', 'in', 'the', 'to', 'from', 'of', 'a', 'for'];
    for (const { title } of commands) {
      const words = textOf(title).split(' ');
      for (const word of words) assert.ok(small.includes(word) || /^[A-Z]/.test(word), words.join(' '));
    }
  });
});

suite('The manifest', () => {
  test('gives every setting a type, a default, a description and the scope of a machine', () => {
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(properties).map(([id, { type, default: preset, markdownDescription, scope }]) => [
          id,
          [type, preset, typeof markdownDescription, scope],
        ]),
      ),
      {
        'mcpl.servers': ['object', {}, 'string', 'machine-overridable'],
        'mcpl.inputs': ['array', [], 'string', 'machine-overridable'],
        'mcpl.trace': ['string', 'off', 'string', 'machine-overridable'],
        'mcpl.push.maxPerMinute': ['integer', DEFAULT_LIMITS.pushPerMinute, 'string', 'machine-overridable'],
        'mcpl.events.maxCount': ['integer', DEFAULT_LIMITS.maxEvents, 'string', 'machine-overridable'],
        'mcpl.audit.retentionDays': ['integer', DEFAULT_LIMITS.auditDays, 'string', 'machine-overridable'],
        'mcpl.inference.model': ['string', '', 'string', 'machine-overridable'],
        'mcpl.approvals.timeoutSeconds': ['integer', DEFAULT_LIMITS.approvalSeconds, 'string', 'machine-overridable'],
        'mcpl.approvals.inChat': ['boolean', DEFAULT_LIMITS.asksInChat, 'string', 'machine'],
        'mcpl.state.maxCount': ['integer', DEFAULT_LIMITS.maxCheckpoints, 'string', 'machine-overridable'],
        'mcpl.state.maxAgeDays': ['integer', DEFAULT_LIMITS.stateDays, 'string', 'machine-overridable'],
        'mcpl.state.maxMegabytes': ['integer', DEFAULT_LIMITS.stateMegabytes, 'string', 'machine-overridable'],
        'mcpl.gateway.transport': ['string', 'loopback', 'string', 'machine-overridable'],
        // A repository cannot enable what costs money or runs in a chat.
        'mcpl.chatHooks.enabled': ['boolean', false, 'string', 'machine'],
        'mcpl.models.wrap': ['array', [], 'string', 'machine'],
      },
    );
    const members = Object.entries(properties['mcpl.servers']?.additionalProperties?.properties ?? {});
    assert.deepEqual(
      members.filter(([, { markdownDescription }]) => markdownDescription === undefined).map(([key]) => key),
      [],
    );
  });

  test('has the defaults and the bounds that the code has', () => {
    const entry = properties['mcpl.servers']?.additionalProperties?.properties ?? {};
    const defaultsOf = (key: string): unknown =>
      Object.fromEntries(Object.entries(entry[key]?.properties ?? {}).map(([name, member]) => [name, member.default]));
    assert.deepEqual(defaultsOf('hooks'), DEFAULT_MCPL.hooks);
    assert.deepEqual(defaultsOf('featureSets'), DEFAULT_MCPL.featureSets);
    assert.deepEqual(defaultsOf('inference'), DEFAULT_MCPL.inference);
    const bounded = {
      pushPerMinute: 'mcpl.push.maxPerMinute',
      maxEvents: 'mcpl.events.maxCount',
      auditDays: 'mcpl.audit.retentionDays',
      approvalSeconds: 'mcpl.approvals.timeoutSeconds',
      maxCheckpoints: 'mcpl.state.maxCount',
      stateDays: 'mcpl.state.maxAgeDays',
      stateMegabytes: 'mcpl.state.maxMegabytes',
    };
    const bounds = (bound: 'minimum' | 'maximum'): unknown =>
      Object.fromEntries(Object.entries(bounded).map(([limit, setting]) => [limit, properties[setting]?.[bound]]));
    assert.deepEqual(bounds('minimum'), MIN_LIMITS);
    assert.deepEqual(bounds('maximum'), MAX_LIMITS);
  });

  test('offers every version of MCPL that the host speaks', () => {
    const entry = properties['mcpl.servers']?.additionalProperties?.properties ?? {};
    assert.deepEqual(entry['protocol']?.properties?.['mcpl']?.enum, MCPL_CHOICES);
  });

  test('lets an untrusted workspace set nothing', () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, Object.keys(properties));
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
  });

  test('activates only after the editor has started and for open tabs, and uses no proposed API', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onStartupFinished',
      'onWebviewPanel:mcpl.toolForm',
      `onWebviewPanel:${TRACE_VIEW}`,
      `onWebviewPanel:${LINEAGE_PANEL}`,
      `onFileSystem:${SCHEMES.resource}`,
      `onFileSystem:${EVENT_SCHEME}`,
    ]);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  test('has the icons and texts that it names', () => {
    const icons = contributes.viewsContainers.activitybar.map(({ icon }) => icon);
    const media = contributes.walkthroughs.flatMap(({ steps }) => steps.map((step) => step.media.markdown));
    const plugins = contributes.chatPlugins.flatMap(({ path }) => [
      `${path}/.plugin/plugin.json`,
      `${path}/hooks/hooks.json`,
    ]);
    assert.deepEqual(
      [...icons, ...media, ...plugins].filter((path) => !existsSync(new URL(path, root))),
      [],
    );
  });

  test('offers at each item what can be done with it now', () => {
    assert.deepEqual(inline('server+startable+enabled'), [
      'inline@1 mcpl.server.start',
      'inline@3 mcpl.server.showLog',
    ]);
    assert.deepEqual(inline('server+stoppable'), [
      'inline@1 mcpl.server.stop',
      'inline@2 mcpl.server.restart',
      'inline@3 mcpl.server.showLog',
    ]);
    assert.deepEqual(inline('server+startable+stoppable+asking'), [
      'inline@1 mcpl.server.start',
      'inline@3 mcpl.server.showLog',
    ]);
    assert.deepEqual(inline('tool+asks'), ['inline@1 mcpl.tool.call']);
    // The last button stays at its place, so that no second click reaches it.
    assert.deepEqual(inline('tool+asks+setOff'), ['inline@0 mcpl.tool.turnOnFeatureSet', 'inline@1 mcpl.tool.call']);
    assert.deepEqual(inline('tool+asks+setsOff'), ['inline@0 mcpl.chooseFeatureSets', 'inline@1 mcpl.tool.call']);
    assert.ok(itemCommands('tool+asks').includes('2_approve@1 mcpl.tool.autoApprove'));
    assert.ok(!itemCommands('tool+asks').includes('2_approve@1 mcpl.tool.askFirst'));
    assert.ok(itemCommands('tool+autoApproved').includes('2_approve@1 mcpl.tool.askFirst'));
    assert.deepEqual(itemCommands('problem'), ['3_open@3 mcpl.server.openSettings']);
    assert.deepEqual(inline('featureSets'), ['inline@1 mcpl.chooseFeatureSets']);
    assert.deepEqual(itemCommands('featureSet'), ['1_choose@1 mcpl.chooseFeatureSets']);
    assert.deepEqual(itemCommands('featureSet+pushes'), [
      '1_choose@1 mcpl.chooseFeatureSets',
      '1_choose@2 mcpl.muteFeatureSet',
    ]);
    assert.deepEqual(inline('event+unread'), ['inline@1 mcpl.askModelAboutEvent', 'inline@2 mcpl.muteFeatureSet']);
    assert.deepEqual(itemCommands('pending'), [
      '1_open@1 mcpl.approval.open',
      '2_answer@1 mcpl.approval.allowOnce',
      '2_answer@2 mcpl.approval.allowSession',
      '2_answer@3 mcpl.approval.allowWorkspace',
      '2_answer@4 mcpl.approval.deny',
      '4_copy@1 mcpl.approval.copyTarget',
      'inline@1 mcpl.approval.allowOnce',
      'inline@2 mcpl.approval.deny',
    ]);
    assert.deepEqual(itemCommands('grant'), [
      '1_open@1 mcpl.approval.open',
      '3_change@2 mcpl.approval.revoke',
      '4_copy@1 mcpl.approval.copyTarget',
      'inline@1 mcpl.approval.revoke',
    ]);
    assert.ok(itemCommands('grant+lasting').includes('3_change@1 mcpl.approval.changeExpiry'));
    assert.deepEqual(inline('checkpoints'), ['inline@2 mcpl.rollBack']);
    assert.deepEqual(inline('checkpoints+blocked'), ['inline@1 mcpl.continueFromLastGood', 'inline@2 mcpl.rollBack']);
    assert.deepEqual(itemCommands('scope'), ['3_open@3 mcpl.server.openSettings']);
    assert.deepEqual(inline('resource'), ['inline@1 mcpl.resource.open', 'inline@2 mcpl.resource.attach']);
    assert.deepEqual(inline('template'), ['inline@1 mcpl.resource.open', 'inline@2 mcpl.resource.attach']);
    assert.deepEqual(inline('prompt'), ['inline@1 mcpl.prompt.get', 'inline@2 mcpl.prompt.use']);
    const onlyHere = (contextValue: string): readonly string[] =>
      itemCommands(contextValue).filter((entry) => /signOut|setLogLevel|mcpl\.\w+$/.test(entry));
    assert.deepEqual(onlyHere('server+stoppable'), ['2_enable@3 mcpl.chooseLanguageModel']);
    assert.deepEqual(onlyHere('server+stoppable+remote+logs'), [
      '2_enable@3 mcpl.chooseLanguageModel',
      '3_open@4 mcpl.server.setLogLevel',
      '4_consent@2 mcpl.server.signOut',
    ]);
    assert.deepEqual(onlyHere('server+stoppable+mcpl'), [
      '2_enable@2 mcpl.chooseFeatureSets',
      '2_enable@3 mcpl.chooseLanguageModel',
      '3_open@5 mcpl.showAuditLog',
    ]);
    const enabling = (contextValue: string): readonly string[] =>
      itemCommands(contextValue).filter((entry) => entry.startsWith('2_enable'));
    assert.deepEqual(enabling('server+startable'), [
      '2_enable@1 mcpl.server.enable',
      '2_enable@3 mcpl.chooseLanguageModel',
    ]);
    assert.deepEqual(enabling('server+startable+enabled'), [
      '2_enable@1 mcpl.server.disable',
      '2_enable@3 mcpl.chooseLanguageModel',
    ]);
    assert.deepEqual(inline('models'), ['inline@1 mcpl.chooseLanguageModel']);
  });

  test('names every command that the code registers, and the code registers every command', () => {
    const sources = globSync('src/{editor/**/*.ts,extension.ts}', { cwd: root });
    const code = sources.map((path) => readFileSync(new URL(path, root), 'utf8')).join('\n');
    const missing = Object.keys(COMMANDS).filter((name) => !code.includes(`COMMANDS.${name}`));
    assert.deepEqual(missing, []);
  });
});
