import type { McpLiveExports } from '../../../media/mcp-live.d.ts';
import type { Host } from '../../core/index.ts';
import type { Asker } from '../servers/consentPrompt.ts';
import type { LineageView } from '../lineage/register.ts';
import type { GatewayAddress } from '../gateway/mcpGateway.ts';
import type { EditorServices } from '../shared/services.ts';

/** What `activate` returns: `getApi` for other extensions, and for tests in the editor what only those may have. */
export interface McpLiveExtension extends McpLiveExports {
  /** Only while tests run: whoever has the host can answer approvals in place of the person. */
  readonly testing: TestingApi | undefined;
}

export interface TestingApi {
  readonly host: Host;
  readonly services: EditorServices;
  readonly lineage: LineageView;
  /** Where the gateway answers for a running server. */
  gatewayAddress(server: string): Promise<GatewayAddress>;
  /** Answers the question whether a server may start, in place of a person; `undefined` puts the person back. */
  answerConsent(asker: Asker | undefined): void;
  /** *Allow Language Model Use*, whose question no test can answer. */
  allowModels(isAllowed: boolean): Promise<void>;
}
