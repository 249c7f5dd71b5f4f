import type { Host, KeptState, ResultView } from '../core/index.ts';
import { callOutcome } from './keptStates.ts';
import { keptText } from './lineageText.ts';
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
        const { result, kept } = await callOutcome(
          host,
          request,
          command.json ? { token } : { token, onProgress: progress(terminal) },
        );
        for (const remark of result.remarks ?? []) terminal.err(`! ${plain(remark)}\n`);
        terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : resultText(result));
        if (kept !== undefined && !isTold(kept, result))
          terminal.err(`${await keptLine(host, kept, command.store !== undefined)}\n`);
        return result.isError ? EXIT.toolFailed : EXIT.ok;
      },
      (error) => (error.code === 'UNKNOWN_TOOL' ? `It has: ${names()}\n` : ''),
    );
  });
}

/** What went wrong is among the remarks for whoever reads the result. */
function isTold(kept: KeptState, { remarks = [] }: ResultView): boolean {
  return (kept.kind === 'broken' || kept.kind === 'lost') && remarks.some((remark) => remark.includes(kept.problem));
}

async function keptLine({ lineages }: Host, kept: KeptState, isStored: boolean): Promise<string> {
  const detail = kept.kind === 'lost' ? undefined : await lineages.checkpoint(kept.place).catch(() => undefined);
  return keptText(kept, detail?.featureSet, isStored);
}

/** What the model would read, and what is meant for the user only. */
function resultText(result: ResultView): string {
  const forUser = result.blocks.flatMap((block) =>
    block.type === 'text' && block.audience === 'user' ? [block.text] : [],
  );
  return wholeLines([...forUser, result.modelText].filter((part) => part !== '').join('\n'));
}
