import { isRunning, type JsonObject, type ServerSnapshot } from '../core/index.ts';
import { mcplView } from './control/mcplViews.ts';
import { type OneServerContext, withServer } from './oneServer.ts';
import { serverText } from './serverText.ts';
import type { InspectCommand } from './target.ts';
import { EXIT, safeJson } from './terminal.ts';

/** `mcpl inspect`: what a server says of itself. */
export function inspect(command: InspectCommand, context: OneServerContext): Promise<number> {
  return withServer(command, context, 'everything', (_host, server) => {
    const text = command.json ? `${safeJson(serverJson(server), 2)}\n` : serverText(server);
    context.terminal.out(text);
    return Promise.resolve(EXIT.ok);
  });
}

function serverJson({ state, capabilities, tools, resources, templates, prompts, mcpl }: ServerSnapshot): JsonObject {
  if (!isRunning(state)) return {};
  const { name, title, version, instructions } = state.info;
  return {
    serverInfo: { name, title, version },
    protocolVersion: state.protocolVersion,
    connection: { ...state.connection },
    instructions,
    capabilities,
    mcpl: mcpl === undefined ? undefined : mcplView(mcpl),
    tools: tools.map(({ tool }) => tool.raw),
    resources: resources.map(({ raw }) => raw),
    resourceTemplates: templates.map(({ raw }) => raw),
    prompts: prompts.map(({ raw }) => raw),
  };
}
