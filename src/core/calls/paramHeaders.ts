import { NO_CANCELLATION } from '../base/cancellation.ts';
import { isHostError } from '../base/errors.ts';
import type { ServerSnapshot } from '../model/server.ts';
import { isHeaderMismatch } from '../wire/envelope.ts';
import { paramHeaders } from '../wire/headers.ts';
import { type CallContext, type CallInterceptor, toolNamed } from './callSteps.ts';

export interface RepeatedArgumentsOptions {
  /** Reads a server's tools again and returns the new snapshot. */
  reread(server: string, token: CallContext['token']): Promise<ServerSnapshot | undefined>;
}

/**
 * MCP 2026-07-28 "Custom headers": repeats marked arguments in HTTP headers. If the server rejects them, its schema has
 * changed: reads the tools again and repeats the call.
 */
export function repeatedArguments(options: RepeatedArgumentsOptions): CallInterceptor {
  return {
    concerns: ({ handshake, transport }) => handshake.era === 'modern' && transport.details?.kind === 'http',
    intercept: (context, next) => {
      const { server } = context;
      const sent = headersFor(context, server);
      context.headers = sent;
      return next(context).catch(async (error: unknown) => {
        if (!isHostError(error, 'REMOTE_ERROR') || !isHeaderMismatch(error.rpcCode)) throw error;
        const now = await options.reread(server.id, context.token ?? NO_CANCELLATION);
        const headers = now && headersFor(context, now);
        // The code has other meanings too, so an unchanged call, which may have run, is not repeated.
        if (now === undefined || isSame(sent, headers)) throw error;
        context.headers = headers;
        return next(context);
      });
    },
  };
}

function headersFor({ request }: CallContext, server: ServerSnapshot): Readonly<Record<string, string>> | undefined {
  const tool = toolNamed(server, request.tool)?.tool;
  return tool === undefined || tool.headerParams.length === 0 ? undefined : paramHeaders(tool, request.args);
}

function isSame(one: CallContext['headers'], other: CallContext['headers']): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
