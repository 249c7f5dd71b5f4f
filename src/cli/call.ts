import type { ResultView } from '../core/index.ts';
import { type OneServerContext, requested, withServer } from './oneServer.ts';
import { progress } from './progressText.ts';
import type { CallCommand } from './target.ts';
import { EXIT, plain, safeJson, wholeLines } from './terminal.ts';
import { toolArguments } from './toolArguments.ts';

/** `mcpl call`: one tool, once. */
export function call(command: CallCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  return withServer(command, context, 'tools', async (host, server) => {
    const tool = server.tools.find((each) => each.tool.name === command.tool)?.tool;
    const args = toolArguments(command.args, command.pairs, tool?.inputSchema ?? {});
    const names = (): string => plain(server.tools.map((each) => each.tool.name).join(', '));
    const request = { server: server.id, tool: command.tool, args, route: 'cli' } as const;
    return requested(
      context,
      async () => {
        const result = await host.callTool(
          request,
          command.json ? { token } : { token, onProgress: progress(terminal) },
        );
        for (const remark of result.remarks ?? []) terminal.err(`! ${plain(remark)}\n`);
        terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : resultText(result));
        return result.isError ? EXIT.toolFailed : EXIT.ok;
      },
      (error) => (error.code === 'UNKNOWN_TOOL' ? `It has: ${names()}\n` : ''),
    );
  });
}

/** What the model would read, and what is meant for the user only. */
function resultText(result: ResultView): string {
  const forUser = result.blocks.flatMap((block) =>
    block.type === 'text' && block.audience === 'user' ? [block.text] : [],
  );
  return wholeLines([...forUser, result.modelText].filter((part) => part !== '').join('\n'));
}
