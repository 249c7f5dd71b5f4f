/** The entry of `dist/host.cjs`: hosts without an editor, for any Node program. */
export { createNodeHost as createHost, type LogLine, type NodeHostOptions as HostOptions } from './nodeHost.ts';
export type { Scripts } from './scripts.ts';
export { VERSION } from './version.ts';
export {
  type CallOptions,
  type CancellationToken,
  CancellationSource,
  type ContentBlock,
  type Disposable,
  type Effect,
  type Event,
  type Host,
  HostError,
  type HostErrorCode,
  type HostSettings,
  type InputAnswer,
  isHostError,
  type Json,
  type JsonObject,
  type Operation,
  type Progress,
  type ResultView,
  type ServerChange,
  type ServerSnapshot,
  type ServerState,
  type SettingsProblem,
  type StartAnswer,
  type StartQuestion,
  type ToolCallRequest,
} from '../core/index.ts';
