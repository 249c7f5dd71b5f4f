import { join, resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { Deferred, isJsonArray, type Json, type JsonObject, type LogLevel, messageOf } from '../core/index.ts';
import { ControlSession } from './control/controlSession.ts';
import { DriverModels } from './control/driverModels.ts';
import { driverInputs } from './control/inputQuestions.ts';
import { Questions } from './control/questions.ts';
import { assembleNodeHost } from './nodeHost.ts';
import { readSettings } from './settingsFile.ts';
import { EXIT, safeJson } from './terminal.ts';
import { UsageError } from './usage.ts';

const OPTIONS = {
  control: { type: 'boolean' },
  settings: { type: 'string' },
  workspace: { type: 'string' },
  store: { type: 'string' },
  log: { type: 'string' },
  untrusted: { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error'];

interface HostCommand {
  readonly settings: string | undefined;
  readonly workspace: string | undefined;
  readonly store: string | undefined;
  /** Log levels that are sent as events. */
  readonly logged: readonly LogLevel[];
  readonly trusted: boolean;
}

export function parseHost(argv: readonly string[]): HostCommand {
  const values = parseOwn(argv);
  if (values.control !== true) throw new UsageError('A host without an editor needs --control.');
  const { settings, workspace, store, log } = values;
  const lowest = log === undefined ? LEVELS.length : LEVELS.findIndex((level) => level === log);
  if (lowest < 0) throw new UsageError(`--log must be one of ${LEVELS.join(', ')}.`);
  return { settings, workspace, store, logged: LEVELS.slice(lowest), trusted: values.untrusted !== true };
}

function parseOwn(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}

interface Streams {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** `mcpl host --control`. Ends with "shutdown", with its input, or when `stop` is aborted. */
export async function runHost(command: HostCommand, { input, output }: Streams, stop: AbortSignal): Promise<number> {
  const user = command.settings === undefined ? undefined : await readSettings(resolve(command.settings), true);
  const folder = command.workspace === undefined ? undefined : resolve(command.workspace);
  const workspace =
    folder === undefined ? undefined : await readSettings(join(folder, '.vscode', 'settings.json'), false);

  const write = (message: JsonObject): void => void output.write(`${safeJson(message)}\n`);
  const questions = new Questions(write);
  const models = new DriverModels(questions);
  const { host, consents, accounts } = assembleNodeHost({
    ...driverInputs(questions),
    models,
    folders: folder === undefined ? [] : [folder],
    storageFile: command.store,
    onStartQuestion: (question, token) => questions.askStart(question, token),
    onInput: (id, token, definedBy) => questions.askInput(id, token, definedBy),
    onNotice: (text) => write({ event: 'notice', text }),
    onLog: ({ server, level, message }) => {
      if (command.logged.includes(level)) write({ event: 'log', server, level, message });
    },
  });
  const ended = new Deferred<void>();
  const session = new ControlSession({
    host,
    consents,
    accounts,
    questions,
    models,
    write,
    settings: {
      servers: user?.servers,
      workspaceServers: workspace?.servers,
      // User inputs come last and win, so that no repository changes the questions of user servers.
      inputs: [...listOf(workspace?.inputs), ...listOf(user?.inputs)],
      trusted: command.trusted,
    },
    onShutdown: () => ended.resolve(),
  });
  const lines = new Lines((line) => session.receive(line));
  const receive = (chunk: Buffer): void => lines.read(chunk);
  const end = (): void => {
    lines.end();
    ended.resolve();
  };
  session.begin();
  input.on('data', receive).on('end', end);
  output.on('error', () => ended.resolve());
  stop.addEventListener('abort', () => ended.resolve());
  await ended.promise;
  input.off('data', receive).off('end', end);
  input.pause();
  session.dispose();
  await host.close();
  return EXIT.ok;
}

function listOf(inputs: Json | undefined): readonly Json[] {
  return isJsonArray(inputs) ? inputs : [];
}

/** Longer lines are dropped and reported. */
const MAX_LINE = 64_000_000;

/** Splits chunks into lines. A chunk may end inside a character. Skips blank lines. */
export class Lines {
  readonly #decoder = new StringDecoder('utf8');
  readonly #onLine: (line: string) => void;
  #parts: string[] = [];
  #length = 0;
  #isTooLong = false;

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  read(chunk: Buffer): void {
    const [first = '', ...rest] = this.#decoder.write(chunk).split('\n');
    this.#keep(first);
    for (const part of rest) {
      this.end();
      this.#keep(part);
    }
  }

  /** The last line may lack its line break. */
  end(): void {
    // Passed on so that it is answered with an error.
    const line = this.#isTooLong ? '(a line that is too long)' : this.#parts.join('');
    this.#parts = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (line.trim() !== '') this.#onLine(line);
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length <= MAX_LINE) {
      this.#parts.push(part);
      return;
    }
    this.#isTooLong = true;
    this.#parts = [];
  }
}
