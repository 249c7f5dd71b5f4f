import { isJsonArray, isJsonObject, type Json, type SettingsLayer } from '../../core/index.ts';

/** Lists would truncate longer options. */
const MAX_OPTION = 200;

export type DefinedBy = 'user' | 'workspace';

/** One entry of `mcpl.inputs`. */
export interface InputDefinition {
  readonly id: string;
  readonly description: string | undefined;
  readonly secret: boolean;
  readonly default: string | undefined;
  /** The options. `undefined` if any text is allowed. */
  readonly options: readonly string[] | undefined;
}

/**
 * The declaration of an input. For workspace servers later layers win. For user servers the user's declaration wins, so
 * that no repository changes what is asked and stored. An input is secret if any layer says so. Invalid entries are
 * ignored.
 */
export function findInput(
  layers: readonly SettingsLayer[],
  id: string,
  definedBy: DefinedBy,
): InputDefinition | undefined {
  const found = layers.flatMap(({ scope, servers }) =>
    inputDefinitions(servers)
      .filter((definition) => definition.id === id)
      .slice(0, 1)
      .map((definition) => ({ scope, definition })),
  );
  const own = definedBy === 'user' ? found.findLast(({ scope }) => scope === 'user') : undefined;
  const chosen = (own ?? found.at(-1))?.definition;
  return chosen && { ...chosen, secret: found.some(({ definition }) => definition.secret) };
}

export function inputDefinitions(layer: Json | undefined): readonly InputDefinition[] {
  return isJsonArray(layer) ? layer.flatMap(decode) : [];
}

function decode(value: Json): readonly InputDefinition[] {
  if (!isJsonObject(value)) return [];
  const { id, type, description, password, default: preset, options } = value;
  if (typeof id !== 'string' || id === '') return [];
  const common = { id, description: textOf(description), secret: password === true, default: textOf(preset) };
  if (type === 'promptString') return [{ ...common, options: undefined }];
  const choices = isJsonArray(options) ? options.filter(isOption) : [];
  return type === 'pickString' && choices.length > 0 ? [{ ...common, options: choices }] : [];
}

function isOption(value: Json): value is string {
  return typeof value === 'string' && value.length <= MAX_OPTION;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
