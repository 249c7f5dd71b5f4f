import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import {
  COMMANDS,
  CONTEXT_KEYS,
  DEMO_COMMAND,
  EXTENSION_ID,
  FACETS,
  GATEWAY_PROVIDER,
  SCHEMES,
  SERVERS_VIEW,
  SETTINGS,
  TRACE_VIEW,
} from '../../src/editor/ids.ts';
import { DEMO_COMMAND as RUN_AS_DEMO } from '../../src/node/connector.ts';

interface Property {
  readonly type: string;
  readonly default: unknown;
  readonly scope: string;
  readonly markdownDescription?: string;
  readonly additionalProperties?: { readonly properties: Readonly<Record<string, Partial<Property>>> };
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

/** Every string of the manifest that is looked up in package.nls.json. */
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
      [SERVERS_VIEW],
    );
    const keys = whens(contributes).flatMap((when) => when.match(/\bmcpl:\w+/g) ?? []);
    assert.deepEqual([...new Set(keys)].sort(), Object.values(CONTEXT_KEYS).sort());
    assert.deepEqual(
      contributes.mcpServerDefinitionProviders.map(({ id }) => id),
      [GATEWAY_PROVIDER],
    );
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
    const links = contributes.viewsWelcome.flatMap(({ contents }) =>
      [...textOf(contents).matchAll(/\(command:([\w.]+)\)/g)].map((match) => match[1]),
    );
    assert.deepEqual(links.sort(), ['mcpl.demo.try', 'mcpl.server.add', 'workbench.trust.manage']);
    for (const { view } of contributes.viewsWelcome) assert.equal(view, SERVERS_VIEW);
  });
});

suite('package.nls.json', () => {
  test('has every text of the manifest and no other', () => {
    assert.deepEqual([...new Set(placeholders(manifest))].sort(), Object.keys(nls).sort());
  });

  test('leaves no text for people in the manifest itself', () => {
    const shown = ['title', 'description', 'markdownDescription', 'label', 'category', 'contents', 'displayName'];
    const raw: string[] = [];
    const walk = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return;
      for (const [key, member] of Object.entries(value)) {
        if (shown.includes(key) && typeof member === 'string' && !/^%.+%$/.test(member)) raw.push(`${key}: ${member}`);
        walk(member);
      }
    };
    walk(contributes);
    assert.deepEqual(raw, []);
  });

  test('titles commands in Title Case', () => {
    const small = ['in', 'the', 'to', 'from', 'of', 'a'];
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
      },
    );
    const members = Object.entries(properties['mcpl.servers']?.additionalProperties?.properties ?? {});
    assert.deepEqual(
      members.filter(([, { markdownDescription }]) => markdownDescription === undefined).map(([key]) => key),
      [],
    );
  });

  test('lets an untrusted workspace set nothing', () => {
    assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations, Object.keys(properties));
    assert.equal(manifest.capabilities.untrustedWorkspaces.supported, 'limited');
    assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
  });

  test('activates by itself only when the editor has started and for a tab that was open, and uses no proposed API', () => {
    assert.deepEqual(manifest.activationEvents, [
      'onStartupFinished',
      'onWebviewPanel:mcpl.toolForm',
      `onWebviewPanel:${TRACE_VIEW}`,
      `onFileSystem:${SCHEMES.resource}`,
    ]);
    assert.deepEqual(manifest.extensionKind, ['workspace']);
    assert.equal(manifest.enabledApiProposals, undefined);
  });

  test('has an icon where it says so', () => {
    const icons = contributes.viewsContainers.activitybar.map(({ icon }) => icon);
    assert.deepEqual(
      icons.filter((icon) => !existsSync(new URL(icon, root))),
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
    assert.deepEqual(inline('tool+asks'), ['inline@1 mcpl.tool.call']);
    assert.ok(itemCommands('tool+asks').includes('2_approve@1 mcpl.tool.autoApprove'));
    assert.ok(!itemCommands('tool+asks').includes('2_approve@1 mcpl.tool.askFirst'));
    assert.ok(itemCommands('tool+autoApproved').includes('2_approve@1 mcpl.tool.askFirst'));
    assert.deepEqual(itemCommands('problem'), ['3_open@3 mcpl.server.openSettings']);
    assert.deepEqual(inline('resource'), ['inline@1 mcpl.resource.open']);
    assert.deepEqual(inline('template'), ['inline@1 mcpl.resource.open']);
    assert.deepEqual(inline('prompt'), ['inline@1 mcpl.prompt.get']);
    const onlyHere = (contextValue: string): readonly string[] =>
      itemCommands(contextValue).filter((entry) => /signOut|setLogLevel/.test(entry));
    assert.deepEqual(onlyHere('server+stoppable'), []);
    assert.deepEqual(onlyHere('server+stoppable+remote+logs'), [
      '3_open@4 mcpl.server.setLogLevel',
      '4_consent@2 mcpl.server.signOut',
    ]);
    const enabling = (contextValue: string): readonly string[] =>
      itemCommands(contextValue).filter((entry) => entry.startsWith('2_enable'));
    assert.deepEqual(enabling('server+startable'), ['2_enable@1 mcpl.server.enable']);
    assert.deepEqual(enabling('server+startable+enabled'), ['2_enable@1 mcpl.server.disable']);
  });

  test('names every command that the code registers, and the code registers every command', () => {
    const sources = globSync('src/{editor/**/*.ts,extension.ts}', { cwd: root });
    const code = sources.map((path) => readFileSync(new URL(path, root), 'utf8')).join('\n');
    const missing = Object.keys(COMMANDS).filter((name) => !code.includes(`COMMANDS.${name}`));
    assert.deepEqual(missing, []);
  });
});
