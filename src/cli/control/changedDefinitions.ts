import type { DefinitionAnswer, Host, JsonObject, OfferedTool, ToolChange } from '../../core/index.ts';
import { type Handlers, knownServer, Refused } from './controlCommands.ts';
import { changeView, toolView } from './controlViews.ts';

export const DEFINITION_ANSWERS: readonly DefinitionAnswer[] = ['approve', 'approveAny', 'keepAsking'];

/** Notifies the driver of changed definitions of approved tools, once for each definition. */
export class ChangedDefinitions {
  readonly #host: Host;
  readonly #write: (message: JsonObject) => void;
  readonly #reported = new Set<string>();

  constructor(host: Host, write: (message: JsonObject) => void) {
    this.#host = host;
    this.#write = write;
  }

  /** Call this after a change of the server. */
  look(server: string): void {
    for (const { tool, change } of this.#host.server(server)?.tools ?? []) {
      if (change === undefined || change.isDeclined) continue;
      const key = JSON.stringify([server, tool.name, change.form]);
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#write({ event: 'definitionChanged', server, tool: tool.name, ...changeView(change) });
    }
  }
}

/** Handles the driver's answers to changed definitions. */
export function definitionHandlers(host: Host): Handlers<'answerDefinition'> {
  return {
    answerDefinition: async ({ server, tool, form, answer }) => {
      const change = changeOf(offered(host, server, tool), form);
      if (answer === 'approveAny' && !change.isFrequent)
        throw new Refused(
          'INVALID_ANSWER',
          `"${tool}" has not changed often enough to approve any definition.`,
          'Answer "approve" or "keepAsking".',
        );
      await host.answerDefinitions(server, [{ tool, form }], answer);
      const after = offered(host, server, tool);
      const isKept = answer === 'keepAsking' ? after.change?.isDeclined === true : after.change === undefined;
      if (!isKept)
        throw changedAgain(`The answer for "${tool}" was not kept: its definition changed, or its server stopped.`);
      return toolView(server, after);
    },
  };
}

function offered(host: Host, server: string, name: string): OfferedTool {
  const found = knownServer(host, server).tools.find(({ tool }) => tool.name === name);
  if (found !== undefined) return found;
  throw new Refused('UNKNOWN_TOOL', `"${server}" has no tool "${name}".`, 'See "tools".');
}

/** The change that the driver saw. The answer applies to no other definition. */
function changeOf({ tool, change }: OfferedTool, form: string): ToolChange {
  if (change?.form === form) return change;
  throw changedAgain(
    change === undefined
      ? `The definition of "${tool.name}" is the approved one.`
      : `The definition of "${tool.name}" changed again.`,
  );
}

function changedAgain(message: string): Refused {
  return new Refused(
    'DEFINITION_CHANGED',
    message,
    'Read "change" in the result of "tools", then answer with its "form".',
  );
}
