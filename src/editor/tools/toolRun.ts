import {
  blockText,
  CancellationSource,
  type Clock,
  type HostError,
  type JsonObject,
  type Progress,
  type ResultView,
  Throttle,
  toHostError,
} from '../../core/index.ts';
import type { RunView } from '../../webview/form/formMessages.ts';
import type { EditorServices, ToolTarget } from '../shared/services.ts';
import { failedRun, progressView, resultRun } from './toolView.ts';

/** Minimum interval between progress updates. */
const PROGRESS_MS = 100;

interface RunServices {
  readonly host: Pick<EditorServices['host'], 'callTool'>;
  readonly clock: Clock;
}

type Ending =
  | {
      readonly kind: 'result';
      readonly result: ResultView;
      readonly elapsedMs: number;
    }
  | { readonly kind: 'error'; readonly error: HostError; readonly elapsedMs: number };

/** The calls of one page, one at a time: the current progress and the last result. */
export class ToolRun {
  readonly #host: RunServices['host'];
  readonly #target: ToolTarget;
  readonly #changed: () => void;
  readonly #progressing: Throttle;
  #source: CancellationSource | undefined;
  #startedAt = 0;
  #progress: Progress | undefined;
  #ending: Ending | undefined;
  /** Arguments of the last call. */
  #args: JsonObject | undefined;

  constructor({ host, clock }: RunServices, target: ToolTarget, changed: () => void) {
    this.#host = host;
    this.#target = target;
    this.#changed = changed;
    this.#progressing = new Throttle(clock, PROGRESS_MS, changed);
  }

  get isRunning(): boolean {
    return this.#source !== undefined;
  }

  get view(): RunView {
    if (this.#source !== undefined) return progressView(Date.now() - this.#startedAt, this.#progress);
    const ending = this.#ending;
    if (ending === undefined) return { kind: 'idle' };
    return ending.kind === 'result'
      ? resultRun(ending.elapsedMs, ending.result)
      : failedRun(ending.elapsedMs, ending.error);
  }

  /** The last result as text, and whether it is JSON. */
  get text(): { readonly text: string; readonly isJson: boolean } | undefined {
    if (this.#ending?.kind !== 'result') return undefined;
    const { blocks, raw } = this.#ending.result;
    const isText = blocks.length > 0 && blocks.every((block) => block.type === 'text');
    if (!isText) return { text: JSON.stringify(raw, null, 2), isJson: true };
    const text = blocks.map(blockText).join('\n');
    return { text, isJson: isJsonText(text) };
  }

  /** Sends the last invalid arguments, whose errors the user saw. */
  async sendAnyway(): Promise<void> {
    const { view } = this;
    if (view.kind === 'failed' && view.canSendAnyway && this.#args !== undefined) await this.startUnchecked(this.#args);
  }

  async start(args: JsonObject): Promise<void> {
    await this.#start(args, false);
  }

  /** Sends arguments that do not match the schema. */
  async startUnchecked(args: JsonObject): Promise<void> {
    await this.#start(args, true);
  }

  async #start(args: JsonObject, unchecked: boolean): Promise<void> {
    if (this.#source !== undefined) return;
    this.#args = args;
    const source = new CancellationSource();
    this.#source = source;
    this.#startedAt = Date.now();
    this.#progress = undefined;
    this.#changed();
    const ending = await this.#call(args, unchecked, source);
    if (this.#source !== source) return;
    this.#end();
    this.#ending = ending;
    this.#changed();
  }

  cancel(): void {
    this.#source?.cancel('by the person');
  }

  /** Cancels the call without a report. */
  dispose(): void {
    this.cancel();
    this.#end();
  }

  async #call(args: JsonObject, unchecked: boolean, source: CancellationSource): Promise<Ending> {
    const elapsed = (): number => Date.now() - this.#startedAt;
    const onProgress = (progress: Progress): void => {
      if (this.#source !== source) return;
      this.#progress = progress;
      this.#progressing.request();
    };
    const request = { ...this.#target, args, route: 'command', ...(unchecked && { unchecked }) } as const;
    try {
      const result = await this.#host.callTool(request, { token: source.token, onProgress });
      return { kind: 'result', result, elapsedMs: elapsed() };
    } catch (error) {
      return { kind: 'error', error: toHostError(error), elapsedMs: elapsed() };
    }
  }

  #end(): void {
    this.#progressing.cancel();
    this.#source?.dispose();
    this.#source = undefined;
  }
}

function isJsonText(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
