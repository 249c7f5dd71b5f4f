import { blockText, type PromptResult } from '../core/index.ts';
import { type OneServerContext, requested, withServer } from './oneServer.ts';
import { progress } from './progressText.ts';
import { type PromptCommand, split } from './target.ts';
import { EXIT, safeJson, wholeLines } from './terminal.ts';
import { toolArguments } from './toolArguments.ts';
import { UsageError } from './usage.ts';

/** `mcpl prompt`: the messages of one prompt. */
export function prompt(command: PromptCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  const args = promptArguments(command);
  return withServer(command, context, 'nothing', (host, server) =>
    requested(context, async () => {
      const options = command.json ? { token } : { token, onProgress: progress(terminal) };
      const result = await host.getPrompt(server.id, command.name, args, options);
      terminal.out(command.json ? `${safeJson(result.raw, 2)}\n` : promptText(result));
      return EXIT.ok;
    }),
  );
}

/** Prompts take texts only: a number is not valid. */
function promptArguments({ args, pairs }: PromptCommand): Readonly<Record<string, string>> {
  const members = Object.entries(toolArguments(args, [], {})).map(([name, value]): [string, string] => {
    if (typeof value !== 'string') throw new UsageError(`The argument "${name}" of the prompt must be a text.`);
    return [name, value];
  });
  const typed = pairs.map((pair) => split(pair, '=', 'an argument of the prompt'));
  return Object.fromEntries([...members, ...typed]);
}

function promptText({ description, messages }: PromptResult): string {
  const about = description === undefined || description === '' ? [] : [wholeLines(description)];
  const said = messages.map(({ role, content }) => wholeLines(`[${role}]\n${blockText(content)}`));
  return [...about, ...said].join('\n');
}
