import type { ResourceContents } from '../core/index.ts';
import { type OneServerContext, requested, withServer } from './oneServer.ts';
import { progress } from './progressText.ts';
import type { ReadCommand } from './target.ts';
import { EXIT, safeJson, wholeLines } from './terminal.ts';

/** `mcpl read`: what a resource holds. */
export function read(command: ReadCommand, context: OneServerContext): Promise<number> {
  const { terminal, token } = context;
  return withServer(command, context, 'nothing', (host, server) =>
    requested(context, async () => {
      const options = command.json ? { token } : { token, onProgress: progress(terminal) };
      const { contents, raw } = await host.readResource(server.id, command.uri, options);
      terminal.out(command.json ? `${safeJson(raw, 2)}\n` : contents.map(contentsText).join(''));
      return EXIT.ok;
    }),
  );
}

/** Bytes are nothing for a terminal: `--json` has them. */
function contentsText(contents: ResourceContents): string {
  if (contents.kind === 'text') return wholeLines(contents.text);
  const { uri, mimeType = 'application/octet-stream', blob } = contents;
  return wholeLines(`[${uri}: ${mimeType}, ${Buffer.byteLength(blob, 'base64')} bytes]`);
}
