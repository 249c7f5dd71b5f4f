import { isJsonObject, type Tool } from '../../core/index.ts';

/**
 * What the server itself says that a tool does, one phrase each. The cautious values that stand in for what it leaves
 * out are the host's, not its words.
 */
export function toolHints({ hints, raw }: Tool): readonly string[] {
  const said = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  if (hints.readOnly) return ['it only reads', ...beyond(said['openWorldHint'])];
  const destroys = said['destructiveHint'];
  return [
    ...(destroys === true ? ['it may destroy something'] : destroys === false ? ['it destroys nothing'] : []),
    ...(hints.idempotent ? ['calling it twice does no more than once'] : []),
    ...beyond(said['openWorldHint']),
  ];
}

function beyond(openWorld: unknown): readonly string[] {
  return openWorld === true ? ['it reaches beyond this machine'] : [];
}
