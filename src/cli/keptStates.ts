import type { CallOptions, Host, KeptState, ResultView, ToolCallRequest } from '../core/index.ts';

interface CallOutcome {
  readonly result: ResultView;
  /** What became of the state that came with it (MCPL §8.2); absent where none did. */
  readonly kept: KeptState | undefined;
}

/** A call, and what is told of it beside its result. */
export async function callOutcome(host: Host, request: ToolCallRequest, options: CallOptions): Promise<CallOutcome> {
  let kept: KeptState | undefined;
  const listening = host.onDidChangeOperation((operation) => {
    if (operation.request === request) kept = operation.kept;
  });
  try {
    const result = await host.callTool(request, options);
    return { result, kept };
  } finally {
    listening.dispose();
  }
}
