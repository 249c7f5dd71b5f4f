import { createHash } from 'node:crypto';

export interface NamedTool {
  readonly server: string;
  readonly tool: string;
}

/** What models of all vendors take for a name. */
const LONGEST_NAME = 64;
const MARK = 8;

/**
 * A name for each tool under which a model calls it: `server_tool`. None is given twice or is among `taken`, and the same
 * tool has the same name in every turn, in whatever order servers come: an earlier call of it stands in the conversation.
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
  return `${server}_${tool}`.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, LONGEST_NAME);
}

/** Nothing was cut off that tells it apart. */
function isWhole({ server, tool }: NamedTool, name: string): boolean {
  return name.length === server.length + 1 + tool.length;
}

/** With a mark that depends on the tool alone. */
function marked(name: string, { server, tool }: NamedTool, used: ReadonlySet<string>): string {
  for (let salt = 0; ; salt++) {
    const mark = createHash('sha256')
      .update(JSON.stringify([server, tool, salt]))
      .digest('hex')
      .slice(0, MARK);
    const given = `${name.slice(0, LONGEST_NAME - MARK - 1)}_${mark}`;
    if (!used.has(given)) return given;
  }
}
