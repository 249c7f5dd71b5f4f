import type { McpLiveExports } from '../../../media/mcp-live.d.ts';
import type { Host } from '../../core/index.ts';
import type { Asker } from '../servers/consentPrompt.ts';
import type { LineageView } from '../lineage/register.ts';
import type { GatewayAddress } from '../gateway/mcpGateway.ts';
import type { EditorServices } from '../shared/services.ts';

/** The exports of `activate`: `getApi` for other extensions, and `testing` for tests in the editor. */
export interface McpLiveExtension extends McpLiveExports {
  /** Only set while tests run, because the host can answer approvals in place of the user. */
  readonly testing: TestingApi | undefined;
}

export interface TestingApi {
  readonly host: Host;
  readonly services: EditorServices;
  readonly lineage: LineageView;
  /** The gateway's address for a running server. */
  gatewayAddress(server: string): Promise<GatewayAddress>;
  /** Answers start prompts in place of the user. `undefined` restores the user. */
  answerConsent(asker: Asker | undefined): void;
  /** *Allow Language Model Use*, whose prompt tests cannot answer. */
  allowModels(isAllowed: boolean): Promise<void>;
}
