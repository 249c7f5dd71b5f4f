import { isJsonArray, isJsonObject, type Json } from '../core/index.ts';

/** One entry of `mcpl.inputs`. */
export interface InputDefinition {
  readonly id: string;
  readonly description: string | undefined;
  readonly secret: boolean;
  readonly default: string | undefined;
  /** The values to choose from; `undefined` where any text will do. */
  readonly options: readonly string[] | undefined;
}

/** The declaration of one input; in later layers (the workspace's) it wins. What cannot be read declares nothing. */
export function findInput(layers: readonly (Json | undefined)[], id: string): InputDefinition | undefined {
  for (const layer of [...layers].reverse()) {
    const found = inputDefinitions(layer).find((definition) => definition.id === id);
    if (found !== undefined) return found;
  }
  return undefined;
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
  const choices = isJsonArray(options) ? options.filter((option) => typeof option === 'string') : [];
  return type === 'pickString' && choices.length > 0 ? [{ ...common, options: choices }] : [];
}

function textOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
