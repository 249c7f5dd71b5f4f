import { join } from 'node:path';
import * as vscode from 'vscode';
import {
  asyncLazy,
  createHost,
  GatewayClients,
  type Host,
  type InputPorts,
  messageOf,
  type Ports,
} from './core/index.ts';
import type { McpLiveExtension, TestingApi } from './editor/api/api.ts';
import { ApiDoor } from './editor/api/apiDoor.ts';
import { registerApprovals } from './editor/approvals/register.ts';
import { ChatConnection } from './editor/chat/chatConnection.ts';
import { registerChatParticipant } from './editor/chat/register.ts';
import { registerControlTools } from './editor/controlTools/register.ts';
import { NotificationConsent } from './editor/servers/consentPrompt.ts';
import { registerEvents } from './editor/events/register.ts';
import { registerAuditLog } from './editor/audit/register.ts';
import { registerFeatureSets } from './editor/featureSets/register.ts';
import { NotifiedFailures } from './editor/shared/failureNotices.ts';
import { registerHooks } from './editor/hooks/register.ts';
import { EXTENSION_NAME } from './editor/shared/ids.ts';
import { RememberedInputs } from './editor/settings/rememberedInputs.ts';
import { EditorModels } from './editor/models/languageModels.ts';
import { LazyElicitor, LazySampler } from './editor/questions/lazyInputs.ts';
import { OutputChannels } from './editor/servers/logChannels.ts';
import { McpGateway } from './editor/gateway/mcpGateway.ts';
import { ModelUse } from './editor/models/modelPermission.ts';
import { registerModelUse, registerModelUseView } from './editor/models/register.ts';
import { registerOfferCommands } from './editor/offers/register.ts';
import { QuickPicker } from './editor/shared/quickPicker.ts';
import { registerLineage } from './editor/lineage/register.ts';
import { registerServers } from './editor/servers/register.ts';
import type { EditorServices } from './editor/shared/services.ts';
import { SettingsWatch } from './editor/settings/settings.ts';
import { SettingsDiagnostics } from './editor/settings/settingsDiagnostics.ts';
import { SettingsFiles } from './editor/settings/settingsFiles.ts';
import { openFolders } from './editor/shared/workspaceFolders.ts';
import { openServerSettings, openSetting, openWorkspaceSettings } from './editor/settings/settingsOpener.ts';
import { WorkspaceSettingsWriter } from './editor/settings/settingsWriter.ts';
import { registerShowTrace } from './editor/trace/register.ts';
import { EditorAuthPrompt, editorBrowser, editorSecrets, showSignInProgress } from './editor/questions/signIn.ts';
import { registerCallTool, registerDefinitionChanges } from './editor/tools/register.ts';
import { EditorVariables } from './editor/settings/editorVariables.ts';
import { WaitingQuestions } from './editor/questions/waitingQuestions.ts';
import type { AuthServiceOptions } from './node/auth/authService.ts';
import { NodeConnector } from './node/connector.ts';
import { createFileNames } from './node/names/fileNames.ts';
import { ambientAgents } from './node/http/httpAgents.ts';
import { LazyGateway } from './node/gateway/lazyGateway.ts';
import { endLeftovers } from './node/process/leftovers.ts';
import { nodeClock, nodeIds } from './node/nodePorts.ts';
import { lateSchemaChecker } from './node/schemas/lateSchemaChecker.ts';
import { openStore } from './node/store/sqliteStore.ts';
import { notify } from './editor/shared/notify.ts';

let shutDown: () => Promise<void> = () => Promise.resolve();

/**
 * Assembles the extension. Only reads settings and registers handlers. Opens no process, socket, thread or file before
 * a server needs it.
 */
export function activate(context: vscode.ExtensionContext): McpLiveExtension {
  const logs = new OutputChannels(nodeClock);
  context.subscriptions.push(logs);
  try {
    return assemble(context, logs);
  } catch (error) {
    notifyFailure(error, logs);
    throw error;
  }
}

/** The editor waits a few seconds for this. It stops every server in order. */
export async function deactivate(): Promise<void> {
  await shutDown();
}

function assemble(context: vscode.ExtensionContext, logs: OutputChannels): McpLiveExtension {
  const own = <T extends vscode.Disposable>(disposable: T): T => {
    context.subscriptions.push(disposable);
    return disposable;
  };
  const files = new SettingsFiles(context.globalStorageUri);
  const openSettings = (server: string): Promise<void> => openServerSettings(files, server);
  const inputs = new RememberedInputs(context.workspaceState, context.secrets);
  const consent = own(new NotificationConsent(openSettings, context.extensionUri, logs.host));
  const weakening = asyncLazy(
    () => import('./editor/settings/weakeningPrompt.ts'),
    ({ WeakeningPrompt }) =>
      own(new WeakeningPrompt((server) => (server === undefined ? openWorkspaceSettings() : openSettings(server)))),
  );
  const processes = vscode.Uri.joinPath(context.globalStorageUri, 'processes').fsPath;
  const asked = own(new WaitingQuestions(logs.host));
  const prompt = new EditorAuthPrompt(asked, (server) => showSignInProgress(host, server));
  const signIn = {
    secrets: editorSecrets(context.secrets),
    prompt,
    browser: editorBrowser,
    agents: ambientAgents,
  };
  const ports = nodePorts(context, logs, processes, signIn);
  const { connector } = ports;
  const door = own(new ApiDoor({ clock: nodeClock, log: logs.host, host: () => host }));
  const access = context.languageModelAccessInformation;
  const clients = new GatewayClients();
  const sampling = {
    questions: asked,
    extensionUri: context.extensionUri,
    clock: nodeClock,
    log: logs.host,
    state: context.workspaceState,
    book: () => host.modelUses,
    model: () => host.limits.model,
  };
  const sampler = new LazySampler(sampling, clients);
  const use = new ModelUse(context.workspaceState);
  const host: Host = createHost({
    ports: {
      ...ports,
      inputs: inputPorts(context, asked, sampler, clients),
      models: new EditorModels(access, use, door.runners),
      consent: {
        ask: (...asked) => consent.ask(...asked),
        askToWeaken: async (...asked) => (await weakening.get()).ask(...asked),
      },
      variables: new EditorVariables(inputs),
    },
    client: { name: 'mcp-live', title: EXTENSION_NAME, version: versionOf(context) },
  });
  logs.redact = (text) => host.redact(text);
  const gateway = new LazyGateway({ host, ids: nodeIds, clients });
  shutDown = async () => {
    await Promise.allSettled([hooks.close(), gateway.dispose(), host.close()]);
  };

  const failures = own(new NotifiedFailures(host, nodeClock, logs.host));
  const services: EditorServices = {
    host,
    clock: nodeClock,
    log: logs.host,
    settings: new WorkspaceSettingsWriter(host),
    logs,
    failures,
    pick: new QuickPicker(host),
    questions: consent,
    inputs,
    asked,
    traces: host,
    accounts: { signOut: async (url) => (await connector.remote()).auth.signOut(url) },
    extensionUri: context.extensionUri,
    openServerSettings: openSettings,
    openSetting: (setting) => openSetting(files, setting),
  };
  const watch = own(new SettingsWatch(host, files, door.contributed));
  own(new SettingsDiagnostics(host, watch, files, logs.host));
  own(logs.follow(host));
  const chat = own(new ChatConnection(nodeClock, logs.host));
  own(new McpGateway(host, gateway, nodeIds, chat, logs.host));
  own(registerServers(services, watch, context.globalState));
  own(registerCallTool(services));
  own(registerDefinitionChanges(services));
  own(registerOfferCommands(services));
  own(registerShowTrace(services));
  own(registerEvents(services));
  own(registerAuditLog(services));
  own(registerApprovals(services));
  own(registerFeatureSets(services, context.workspaceState));
  const lineage = own(registerLineage(services));
  own(sampler.registerCommands(services));
  own(registerModelUse({ host, use, access, runners: door.runners, log: logs.host }));
  own(registerModelUseView(services, use, door.runners));
  own(registerControlTools({ host, log: logs.host, lineage }));
  own(registerChatParticipant(services));
  const hookTools = { host, clock: nodeClock, ids: nodeIds, log: logs.host };
  const hooks = own(
    registerHooks(hookTools, context.globalState, async () => {
      const { startChatHookServer } = await import('./node/gateway/gatewayServer.ts');
      return startChatHookServer(hookTools);
    }),
  );
  watch.apply();
  void endLeftovers(processes, logs.host);
  return exportsOf(context, door, {
    host,
    services,
    lineage,
    gatewayAddress: (server) => gateway.address(server),
    answerConsent: (asker) => consent.answerWith(asker),
    allowModels: (isAllowed) => (isAllowed ? use.allow() : use.forbid()),
  });
}

function nodePorts(
  context: vscode.ExtensionContext,
  logs: OutputChannels,
  processes: string,
  signIn: AuthServiceOptions,
): Omit<Ports, 'consent' | 'variables' | 'inputs' | 'models'> & { readonly connector: NodeConnector } {
  const dist = vscode.Uri.joinPath(context.extensionUri, 'dist').fsPath;
  const folder = context.storageUri ?? context.globalStorageUri;
  const storage = openStore({
    file: vscode.Uri.joinPath(folder, 'mcpl.sqlite').fsPath,
    trustFile: vscode.Uri.joinPath(context.globalStorageUri, 'mcpl.sqlite').fsPath,
    workerPath: join(dist, 'storeWorker.js'),
    log: logs.host,
    onNotice: (text) => void notify({ severity: 'warning', text: `${EXTENSION_NAME}: ${text}` }),
  });
  const records = { folder: processes, log: logs.host };
  // The editor handles proxies and certificates itself.
  const connector = new NodeConnector({ demoScript: join(dist, 'demo.js'), records, signIn, agents: ambientAgents });
  return {
    clock: nodeClock,
    ids: nodeIds,
    logs,
    storage,
    connector,
    fileNames: createFileNames({ folders: () => openFolders().map(({ path }) => path) }),
  };
}

function inputPorts(
  context: vscode.ExtensionContext,
  asked: WaitingQuestions,
  sampler: LazySampler,
  clients: GatewayClients,
): InputPorts {
  const { extensionUri } = context;
  const workerPath = vscode.Uri.joinPath(extensionUri, 'dist', 'schemaWorker.js').fsPath;
  return {
    elicitor: new LazyElicitor(asked, extensionUri, clients, nodeClock),
    sampler,
    schemaChecker: lateSchemaChecker(workerPath),
  };
}

function exportsOf(context: vscode.ExtensionContext, door: ApiDoor, testing: TestingApi): McpLiveExtension {
  const isTest = context.extensionMode === vscode.ExtensionMode.Test;
  return Object.freeze({ getApi: door.getApi, testing: isTest ? testing : undefined });
}

function versionOf(context: vscode.ExtensionContext): string {
  const manifest: unknown = context.extension.packageJSON;
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest
    ? String(manifest.version)
    : '0.0.0';
}

function notifyFailure(error: unknown, logs: OutputChannels): void {
  logs.host.log('error', error instanceof Error ? (error.stack ?? error.message) : String(error));
  const text = vscode.l10n.t('MCP Live could not start: {0}', messageOf(error));
  void notify({
    severity: 'error',
    text,
    buttons: [{ title: vscode.l10n.t('Show Log'), run: () => logs.showHost() }],
  });
}
