import { isJsonObject, type Tool } from '../../core/index.ts';

/** The server's hints about a tool, one phrase each. Omits the defaults that the host assumes for absent hints. */
export function toolHints({ hints, raw }: Tool): readonly string[] {
  const said = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  if (hints.readOnly) return ['it only reads', ...openWorldHint(said['openWorldHint'])];
  const destroys = said['destructiveHint'];
  return [
    ...(destroys === true ? ['it may destroy something'] : destroys === false ? ['it destroys nothing'] : []),
    ...(hints.idempotent ? ['calling it twice does no more than once'] : []),
    ...openWorldHint(said['openWorldHint']),
  ];
}

function openWorldHint(openWorld: unknown): readonly string[] {
  return openWorld === true ? ['it reaches beyond this machine'] : [];
}
