import { createHash } from 'node:crypto';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/** The name limit that all vendors accept. */
const MAX_NAME = 64;
const MARK = 8;

/**
 * A unique model name for each tool: `server_tool`. Names avoid those in `taken`. A tool keeps its name in every turn,
 * whatever the order of servers, because earlier calls stay in the conversation.
 */
export function toolNames(tools: readonly NamedTool[], taken: ReadonlySet<string>): readonly string[] {
  const plain = tools.map(plainName);
  const counts = new Map<string, number>();
  for (const name of plain) counts.set(name, (counts.get(name) ?? 0) + 1);
  const used = new Set(taken);
  return tools.map((tool, index) => {
    const name = plain[index] ?? '';
    const isOwn = (counts.get(name) ?? 0) === 1 && !used.has(name) && isWhole(tool, name);
    const given = isOwn ? name : marked(name, tool, used);
    used.add(given);
    return given;
  });
}

function plainName({ server, tool }: NamedTool): string {
  return `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, MAX_NAME);
}

/** Whether nothing significant was cut off. */
function isWhole({ server, tool }: NamedTool, name: string): boolean {
  return name.length === server.length + 1 + tool.length;
}

/** Adds a hash that depends on the tool alone. */
function marked(name: string, { server, tool }: NamedTool, used: ReadonlySet<string>): string {
  for (let salt = 0; ; salt++) {
    const mark = createHash('sha256')
      .update(JSON.stringify([server, tool, salt]))
      .digest('hex')
      .slice(0, MARK);
    const given = `${name.slice(0, MAX_NAME - MARK - 1)}_${mark}`;
    if (!used.has(given)) return given;
  }
}
