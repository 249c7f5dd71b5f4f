import type { OfferedTool, ServerSnapshot } from '../model/server.ts';

/** A lookup table by name, for large lists. Built once per snapshot, because snapshots never change. */
const TABLES = new WeakMap<ServerSnapshot, ReadonlyMap<string, OfferedTool>>();

export function toolNamed(server: ServerSnapshot, name: string): OfferedTool | undefined {
  let table = TABLES.get(server);
  if (table === undefined) {
    table = new Map(server.tools.map((offered) => [offered.tool.name, offered]));
    TABLES.set(server, table);
  }
  return table.get(name);
}
