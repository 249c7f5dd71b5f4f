import { readFile } from 'node:fs/promises';
import { createInstrumenter } from '@stryker-mutator/instrumenter';

export interface Mutant {
  readonly id: string;
  readonly file: string;
  readonly line: number;
  /** The text of that line. */
  readonly source: string;
  readonly mutator: string;
  readonly original: string;
  readonly replacement: string;
}

export interface Instrumented {
  readonly files: readonly { readonly name: string; readonly content: string }[];
  readonly mutants: readonly Mutant[];
}

const ignore = (): void => undefined;
const no = (): boolean => false;
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const silent = Object.fromEntries([
  ...levels.map((level) => [level, ignore] as const),
  ...levels.map((level) => [`is${level.charAt(0).toUpperCase()}${level.slice(1)}Enabled`, no] as const),
]);

type Constructor = { new (...given: readonly unknown[]): unknown; readonly inject: readonly unknown[] };

/** Replaces the dependency injection of Stryker, of which only the instrumenter is used. */
class Injector {
  readonly #values = new Map<unknown, unknown>([['logger', silent]]);

  provideValue(token: unknown, value: unknown): this {
    this.#values.set(token, value);
    return this;
  }

  injectClass(Class: Constructor): unknown {
    return new Class(...Class.inject.map((token) => this.#values.get(token)));
  }
}

/** Texts are for people; tests that pin each of them word by word would make every correction twice the work. */
const EXCLUDED = ['StringLiteral'];

/** Puts every mutant of these files into one text for each file, switched off. */
export const instrument = async (files: readonly string[], root: string): Promise<Instrumented> => {
  const instrumenter = createInstrumenter(new Injector() as unknown as Parameters<typeof createInstrumenter>[0]);
  const sources = await Promise.all(
    files.map(async (name) => ({ name, content: await readFile(`${root}/${name}`, 'utf8'), mutate: true })),
  );
  const options = { plugins: null, excludedMutations: EXCLUDED, ignorers: [] };
  const { files: results, mutants } = await instrumenter.instrument(sources, options as never);
  const contents = new Map(sources.map(({ name, content }) => [name, content.split('\n')]));
  return {
    files: results.map(({ name, content }) => ({ name, content })),
    mutants: mutants
      .filter(({ status }) => status !== 'Ignored')
      .map(({ id, fileName, location: { start, end }, mutatorName, replacement = '' }) => ({
        id,
        file: fileName,
        line: start.line + 1,
        source: contents.get(fileName)?.[start.line]?.trim() ?? '',
        mutator: mutatorName,
        original: between(contents.get(fileName) ?? [], start, end),
        replacement: replacement.replace(/\s+/g, ' '),
      })),
  };
};

interface Position {
  readonly line: number;
  readonly column: number;
}

const between = (lines: readonly string[], start: Position, end: Position): string =>
  lines
    .slice(start.line, end.line + 1)
    .map((line, index, all) =>
      line.slice(index === 0 ? start.column : 0, index === all.length - 1 ? end.column : undefined),
    )
    .join(' ')
    .replace(/\s+/g, ' ');
