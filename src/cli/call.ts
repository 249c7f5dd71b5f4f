import { HostError, type Progress, type ResultView } from '../core/index.ts';
import { errorText, type OneServerContext, withServer } from './oneServer.ts';
import type { CallCommand } from './target.ts';
import { EXIT, plain, safeJson } from './terminal.ts';
import { toolArguments } from './toolArguments.ts';

/** `mcpl call`: one tool, once. */
export function call(command: CallCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  return withServer(command, context, async (host, server) => {
    const tool = server.tools.find((each) => each.tool.name === command.tool)?.tool;
    const args = toolArguments(command.args, command.pairs, tool?.inputSchema ?? {});
    try {
      const request = { server: server.id, tool: command.tool, args, route: 'cli' } as const;
      const onProgress = (progress: Progress): void => terminal.err(progressText(progress));
      const result = await host.callTool(request, command.json ? { token } : { token, onProgress });
      terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : resultText(result));
      return result.isError ? EXIT.toolFailed : EXIT.ok;
    } catch (error) {
      if (!(error instanceof HostError)) throw error;
      terminal.err(errorText(error));
      if (error.code === 'UNKNOWN_TOOL')
        terminal.err(`It has: ${plain(server.tools.map((each) => each.tool.name).join(', '))}\n`);
      return error.code === 'CANCELLED' ? EXIT.interrupted : EXIT.callFailed;
    }
  });
}

/** What the model would read, and what is meant for the user only. */
function resultText(result: ResultView): string {
  const forUser = result.blocks.flatMap((block) =>
    block.type === 'text' && block.audience === 'user' ? [block.text] : [],
  );
  const text = plain([...forUser, result.modelText].filter((part) => part !== '').join('\n'));
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function progressText({ progress, total, message }: Progress): string {
  const count = total === undefined ? String(progress) : `${progress}/${total}`;
  return `[${count}]${message === undefined ? '' : ` ${plain(message).replaceAll('\n', ' ')}`}\n`;
}
