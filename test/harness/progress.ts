/** An error with a message for users that names the next step. Shown without a stack. */
export class Problem extends Error {
  readonly log: string;

  constructor(message: string, log = '') {
    super(message);
    this.name = 'Problem';
    this.log = log;
  }
}

export const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

export const seconds = (since: number): string => `${((Date.now() - since) / 1000).toFixed(1)} s`;

/** Prints a line at the start and at the end, because set-up steps are long and silence looks like a hang. */
export const step = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
  const started = Date.now();
  say(`… ${what}`);
  const result = await work();
  say(`✓ ${what} ${seconds(started)}`);
  return result;
};

export const describe = (error: unknown): string => {
  if (error instanceof Problem) return error.log === '' ? error.message : `${error.log.trimEnd()}\n${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
};

/** Runs a command's main function, and turns errors into a message and an exit code. */
export const main = async (work: () => Promise<number>): Promise<void> => {
  try {
    process.exitCode = await work();
  } catch (error) {
    process.stderr.write(`\n${describe(error)}\n`);
    process.exitCode = 1;
  }
};
