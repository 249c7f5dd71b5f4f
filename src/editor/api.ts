import type { Host } from '../core/index.ts';
import type { Asker } from './consentPrompt.ts';
import type { LineageView } from './lineageView.ts';
import type { GatewayAddress } from './mcpGateway.ts';
import type { EditorServices } from './services.ts';

/** What `activate` returns: for other extensions, and for tests in the editor. */
export interface McpLiveApi {
  readonly version: 1;
  readonly host: Host;
  /** Where the gateway answers for a running server. */
  gatewayAddress(server: string): Promise<GatewayAddress>;
  /** Only while tests run. */
  readonly testing: TestingApi | undefined;
}

export interface TestingApi {
  readonly services: EditorServices;
  readonly lineage: LineageView;
  /** Answers the question whether a server may start, in place of a person; `undefined` puts the person back. */
  answerConsent(asker: Asker | undefined): void;
}
