import { parse, type ParseError, type ParseOptions, printParseErrorCode } from 'jsonc-parser';
import { readFile } from 'node:fs/promises';
import { isJsonObject, type Json, type JsonObject, messageOf } from '../core/index.ts';
import { UsageError } from './usage.ts';

/** The product's settings in a settings file. */
interface FileSettings {
  readonly servers: Json | undefined;
  readonly inputs: Json | undefined;
}

const NONE: FileSettings = { servers: undefined, inputs: undefined };

/** Reads a file like the editor's settings.json: JSON with comments. */
export async function readSettings(file: string, mustExist: boolean): Promise<FileSettings> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (!mustExist) return NONE;
    throw new UsageError(`The settings file cannot be read: ${messageOf(error)}`);
  }
  return parseSettings(text, file);
}

const parseText: (text: string, errors: ParseError[], options: ParseOptions) => Json | undefined = parse;

export function parseSettings(text: string, file: string): FileSettings {
  const errors: ParseError[] = [];
  const value = parseText(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split('\n').length;
    throw new UsageError(`${file}, line ${line}: ${printParseErrorCode(first.error)}.`);
  }
  if (!isJsonObject(value)) return NONE;
  return { servers: value['mcpl.servers'], inputs: value['mcpl.inputs'] };
}

/** One entry of `mcpl.inputs`. */
interface InputDeclaration {
  readonly id: string;
  readonly description: string | undefined;
  readonly secret: boolean;
  readonly default: string | undefined;
  readonly options: readonly string[] | undefined;
}

export function declaredInput(inputs: Json | undefined, id: string): InputDeclaration | undefined {
  const entries = Array.isArray(inputs) ? inputs.filter(isJsonObject) : [];
  const found: JsonObject | undefined = entries.findLast((entry) => entry['id'] === id);
  if (found === undefined) return undefined;
  const { description, default: preset, options, password } = found;
  return {
    id,
    description: typeof description === 'string' ? description : undefined,
    secret: password === true,
    default: typeof preset === 'string' ? preset : undefined,
    options: Array.isArray(options) ? options.filter((option) => typeof option === 'string') : undefined,
  };
}
