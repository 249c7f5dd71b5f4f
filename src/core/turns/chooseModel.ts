import { Deferred, ignoreFailure } from '../base/async.ts';
import { CancellationSource, type CancellationToken } from '../base/cancellation.ts';
import type { FinishReason, ModelFailure } from '../model/inference.ts';
import type { LanguageModel, ModelChoice, ModelRequest, Models, ModelRunEnd, ModelSelection } from '../modelPorts.ts';
import type { Clock } from '../ports.ts';
import { OutputLimit } from './outputLimit.ts';
import { waitFor } from '../base/patience.ts';
import type { TokenCounter } from './tokenCounter.ts';

const CHOICE_MS = 10_000;
const RUN_MS = 300_000;

/** How a model use ended without an answer. */
export type Unanswered =
  | ModelFailure
  | { readonly kind: 'late' }
  | { readonly kind: 'cancelled' }
  /** The model threw, which violates its contract. */
  | { readonly kind: 'broken'; readonly error: unknown };

interface ModelRun {
  readonly clock: Clock;
  readonly model: LanguageModel;
  readonly request: ModelRequest;
  readonly counter: TokenCounter;
  /** Maximum tokens of the answer. The host enforces it, because most models support no such limit. */
  readonly maxTokens: number;
  readonly token: CancellationToken;
  /** Receives the text in pieces. Not called after cancellation. */
  onText(piece: string): void;
}

export interface RunOutcome {
  readonly end: { readonly kind: 'ended'; readonly finishReason: FinishReason } | Unanswered;
  /** The text passed on so far, even if the run failed. */
  readonly text: string;
}

export async function chooseModel(
  models: Models,
  wanted: ModelSelection,
  { clock, token }: { readonly clock: Clock; readonly token: CancellationToken },
): Promise<ModelChoice | Unanswered> {
  try {
    const waited = await waitFor(models.choose(wanted, token), { clock, ms: CHOICE_MS, token });
    return waited.kind === 'done' ? waited.value : waited;
  } catch (error) {
    return { kind: 'broken', error };
  }
}

/** Runs a model with a token limit and a timeout, even if the model ignores cancellation. */
export async function runModel(run: ModelRun): Promise<RunOutcome> {
  const { clock, counter, maxTokens, token } = run;
  const stop = new CancellationSource();
  const ended = new Deferred<RunOutcome['end']>();
  const giveUp = (end: RunOutcome['end']): void => {
    output.close();
    ended.resolve(end);
  };
  const output = new OutputLimit({
    maxTokens,
    count: (text) => counter.count(text),
    onText: (piece) => run.onText(piece),
    onCut: () => ended.resolve({ kind: 'ended', finishReason: 'max_tokens' }),
  });
  const timer = clock.delay(RUN_MS, () => giveUp({ kind: 'late' }));
  const subscription = token.onCancellationRequested(() => giveUp({ kind: 'cancelled' }));
  try {
    const finished = finish(run, output, stop.token);
    ignoreFailure(finished);
    return { end: await Promise.race([ended.promise, finished]), text: output.text };
  } catch (error) {
    return { end: { kind: 'broken', error }, text: output.text };
  } finally {
    output.close();
    timer.dispose();
    subscription.dispose();
    stop.cancel('Its answer is not needed any more.');
  }
}

async function finish(run: ModelRun, output: OutputLimit, token: CancellationToken): Promise<ModelRunEnd> {
  const end = await run.model.run(run.request, (delta) => output.write(delta), token);
  if (end.kind === 'failed') return end;
  // Reaching the limit in the remaining text ends the run first.
  await output.finish();
  return end;
}
