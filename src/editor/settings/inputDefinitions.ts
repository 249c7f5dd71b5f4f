import { isJsonArray, isJsonObject, type Json, type SettingsLayer } from '../../core/index.ts';

/** Nobody can choose what a list does not show whole. */
const LONGEST_OPTION = 200;

export type DefinedBy = 'user' | 'workspace';

/** One entry of `mcpl.inputs`. */
export interface InputDefinition {
  readonly id: string;
  readonly description: string | undefined;
  readonly secret: boolean;
  readonly default: string | undefined;
  /** The values to choose from; `undefined` where any text will do. */
  readonly options: readonly string[] | undefined;
}

/**
 * The declaration of one input. For a server of the workspace later layers win; for the user's own server the user's
 * declaration does, so that no repository has a say in what is asked and kept for it. What any of them calls a secret
 * is one. What cannot be read declares nothing.
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
  return typeof value === 'string' && value.length <= LONGEST_OPTION;
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
