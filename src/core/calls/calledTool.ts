import type { OfferedTool, ServerSnapshot } from '../model/server.ts';

/** By name, for lists of thousands. A snapshot never changes, so that its table is made once. */
const TABLES = new WeakMap<ServerSnapshot, ReadonlyMap<string, OfferedTool>>();

export function toolNamed(server: ServerSnapshot, name: string): OfferedTool | undefined {
  let table = TABLES.get(server);
  if (table === undefined) {
    table = new Map(server.tools.map((offered) => [offered.tool.name, offered]));
    TABLES.set(server, table);
  }
  return table.get(name);
}
