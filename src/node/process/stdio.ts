import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import {
  type Clock,
  Deferred,
  type DroppedMessage,
  Emitter,
  HostError,
  type Json,
  lastWords,
  LogLimiter,
  type MemberPath,
  MessageFramer,
  messageText,
  type SendHints,
  type StdioConnection,
  type Transport,
  type TransportClosed,
  type TransportDetails,
  waitFor,
} from '../../core/index.ts';
import { checkFolder, findCommand, notFound, spawnError } from './commandLookup.ts';
import { nodeClock } from '../nodePorts.ts';
import { ProcessTree } from './processTree.ts';
import type { Recorded, SpawnRecords } from './spawnRecords.ts';
import { spawnTurn } from './spawnTurns.ts';
import { CoalescedWriter, SlicedReader, STDERR_LIMITS, StderrLines, decode } from './stdioPipes.ts';
import { WarmMemory } from './warmMemory.ts';

const MAX_UNREAD = 64 * 1024 * 1024;
const KILL_MS = 1_000;
/** How long the output of a dead server may pause before it counts as ended: a grandchild may keep it open. */
const DRAIN_MS = 500;
/** How often the output may continue after a pause: a grandchild may write endlessly and is ended only afterwards. */
const DRAIN_ROUNDS = 6;
const DEFAULT_SHUTDOWN = { stdinMs: 2_000, termMs: 2_000 };

export interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  /** The complete environment of the child. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock?: Clock | undefined;
  /** Maximum size of a message in bytes. */
  readonly lineCap?: number | undefined;
  /** Called for each line on stderr. */
  readonly onStderr: (line: string) => void;
  /** Removes secrets from stderr. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Called for a line on stdout that is no message, with the problem. */
  readonly onNoise: (line: string) => void;
  /** Time to exit after stdin was closed, and after SIGTERM. */
  readonly shutdown?: { readonly stdinMs: number; readonly termMs: number } | undefined;
  readonly records?: SpawnRecords | undefined;
  /** Framing of sent messages. Both kinds can be read. */
  readonly framing?: StdioConnection['framing'];
}

export interface StdioTransport extends Transport {
  readonly pid: number;
}

/** Starts a server. Rejects with COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE, FOLDER_NOT_FOUND or SPAWN_FAILED. */
export async function openStdio(options: StdioOptions): Promise<StdioTransport> {
  await checkFolder(options.cwd);
  const isWindows = process.platform === 'win32';
  // On Windows the shell would start, and report a missing command in the user's language.
  if (isWindows && (await findCommand(options)) === undefined) throw await notFound(options);
  await spawnTurn();
  let child: ChildProcess;
  try {
    child = spawn(options.command, options.args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['pipe', 'pipe', 'pipe'],
      windowsHide: true,
      // A separate process group, so that descendants can be ended too.
      detached: !isWindows,
    });
  } catch (error) {
    throw await spawnError(options, error);
  }
  const { pid, stdin, stdout, stderr } = child;
  if (pid === undefined || stdin === null || stdout === null || stderr === null) {
    const failure = await new Promise<unknown>((resolve) => child.once('error', resolve));
    throw await spawnError(options, failure);
  }
  const record = options.records?.add(pid, options.command);
  return new StdioServer({ child, pid, stdin, stdout, stderr }, record, options);
}

interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

class StdioServer implements StdioTransport {
  readonly details: TransportDetails = { kind: 'stdio' };
  readonly #running: Running;
  readonly #frame: (text: string) => string;
  readonly #record: Recorded | undefined;
  readonly #clock: Clock;
  readonly #times: { readonly stdinMs: number; readonly termMs: number };
  readonly #framer: MessageFramer;
  readonly #reader: SlicedReader;
  readonly #writer: CoalescedWriter;
  readonly #noise: LogLimiter;
  readonly #stderr: StderrLines;
  readonly #tree: ProcessTree;
  readonly #closed = new Emitter<TransportClosed>();
  readonly #dropped = new Emitter<DroppedMessage>();
  readonly #exited = new Deferred<Exit>();
  /** Resolves when there is a receiver or none will come. The end is reported only then. */
  readonly #isHeard = new Deferred<void>();
  readonly #gone: Promise<void>;
  #closing: Promise<void> | undefined;

  readonly onClose = this.#closed.event;
  readonly onDropped = this.#dropped.event;

  constructor(running: Running, record: Recorded | undefined, options: StdioOptions) {
    this.#running = running;
    this.#frame = options.framing === 'contentLength' ? withContentLength : asLine;
    this.#record = record;
    this.#clock = options.clock ?? nodeClock;
    this.#times = options.shutdown ?? DEFAULT_SHUTDOWN;
    this.#tree = new ProcessTree(running.pid);
    this.#noise = new LogLimiter(this.#clock, STDERR_LIMITS, options.onNoise);
    this.#stderr = new StderrLines(this.#clock, options.onStderr, options.redact);
    const memory = new WarmMemory();
    this.#framer = new MessageFramer({
      lineCap: options.lineCap,
      decode,
      onLong: (bytes) => memory.hold(bytes),
      onNoise: (line, why) => this.#noise.line(`${line} (${why})`),
      onDropped: (dropped) => this.#dropped.fire(dropped),
    });
    this.#reader = new SlicedReader(running.stdout, this.#framer);
    this.#writer = new CoalescedWriter(running.stdin, MAX_UNREAD, () => this.#fail(unreadError()));
    running.stderr.on('data', (chunk: Buffer) => this.#stderr.push(chunk));
    running.stderr.on('error', () => undefined);
    running.child.once('exit', (code, signal) => this.#exited.resolve({ code, signal }));
    // On Windows, `cross-spawn` emits this in place of the exit of a shell that found no command.
    running.child.once('error', () => this.#exited.resolve({ code: 1, signal: null }));
    this.#gone = this.#follow();
    void this.#reader.drained.then(() => this.#outputEnded());
  }

  get pid(): number {
    return this.#running.pid;
  }

  start(receiver: (message: Json) => void): void {
    this.#reader.start(receiver);
    this.#isHeard.resolve();
  }

  send(message: Json, hints?: SendHints): void {
    this.#writer.send(this.#frame(messageText(message, hints?.parts)));
  }

  leaveUnread(paths: readonly MemberPath[]): void {
    this.#framer.leaveUnread(paths);
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  /** MCP's shutdown order: close stdin, SIGTERM, SIGKILL. Old servers only react to the last. */
  async #shutDown(): Promise<void> {
    // Closed before a receiver was set, so the output is not needed.
    this.#reader.discard();
    this.#isHeard.resolve();
    this.#writer.end();
    if (!(await this.#within(this.#exited.promise, this.#times.stdinMs))) {
      await this.#tree.signal('SIGTERM');
      if (!(await this.#within(this.#exited.promise, this.#times.termMs))) await this.#tree.signal('SIGKILL');
    }
    if (await this.#within(this.#exited.promise, KILL_MS)) await this.#gone;
    else this.#tellEnd({ error: unendableError(this.pid) });
  }

  /** From the exit of the child to the end of all its descendants. */
  async #follow(): Promise<void> {
    const exit = await this.#exited.promise;
    await this.#isHeard.promise;
    await this.#drain();
    this.#stderr.end();
    this.#noise.dispose();
    this.#tellEnd(this.#closing === undefined ? { error: exitError(exit, this.#stderr.last) } : {});
    if (await this.#endSurvivors()) this.#record?.remove();
  }

  /** Reads until the output ends, or pauses if a grandchild keeps it open. */
  async #drain(): Promise<void> {
    const { stdout, stderr, stdin } = this.#running;
    const stderrClosed = new Promise<void>((resolve) => {
      if (stderr.closed) resolve();
      else stderr.once('close', resolve);
    });
    const ended = Promise.all([this.#reader.drained, stderrClosed]);
    let reads = -1;
    for (let round = 0; round < DRAIN_ROUNDS && reads !== this.#reader.reads; round++) {
      reads = this.#reader.reads;
      if (await this.#within(ended, DRAIN_MS)) break;
    }
    this.#reader.stop();
    await this.#reader.drained;
    stdout.destroy();
    stderr.destroy();
    stdin.destroy();
  }

  async #endSurvivors(): Promise<boolean> {
    if (!(await this.#tree.isAlive())) return true;
    await this.#tree.signal('SIGTERM');
    if (await this.#tree.waitForEnd(this.#times.termMs, this.#clock)) return true;
    await this.#tree.signal('SIGKILL');
    return this.#tree.waitForEnd(KILL_MS, this.#clock);
  }

  /** Without output the server is useless, even if the process is alive. */
  async #outputEnded(): Promise<void> {
    if (await this.#within(this.#exited.promise, DRAIN_MS)) return;
    if (this.#closing === undefined) this.#fail(outputClosedError());
  }

  #fail(error: HostError): void {
    this.#tellEnd({ error });
    void this.close();
  }

  #tellEnd(closed: TransportClosed): void {
    this.#closed.fire(closed);
    this.#closed.dispose();
    this.#dropped.dispose();
  }

  async #within(promise: Promise<unknown>, ms: number): Promise<boolean> {
    const { kind } = await waitFor(promise, { clock: this.#clock, ms });
    return kind === 'done';
  }
}

function exitError({ code, signal }: Exit, lastLines: readonly string[]): HostError {
  const how = signal === null ? `exited with code ${String(code)}` : `was ended by the signal ${signal}`;
  const words = lastWords(lastLines);
  const message = words === '' ? `The server ${how}.` : `The server ${how}. It wrote last: “${words}”.`;
  return new HostError('SERVER_EXITED', message, {
    layer: 'process',
    effect: 'unknown',
    suggestion: "See the server's log, then start it again.",
    data: { exitCode: code, signal, stderr: [...lastLines] },
  });
}

function outputClosedError(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server closed its output while it was running.', {
    layer: 'transport',
    suggestion: "See the server's log, then start it again.",
  });
}

function unreadError(): HostError {
  return new HostError('CONNECTION_CLOSED', 'The server does not read its input: more than 64 MB wait for it.', {
    layer: 'transport',
    suggestion: 'Start the server again, and report this to its author.',
  });
}

function unendableError(pid: number): HostError {
  return new HostError('CONNECTION_CLOSED', `The process ${pid} of the server could not be ended.`, {
    layer: 'process',
    suggestion: 'End it by hand.',
  });
}

function asLine(text: string): string {
  return `${text}\n`;
}

/** Framing of the language server protocol: nothing follows the body. */
function withContentLength(text: string): string {
  return `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}
