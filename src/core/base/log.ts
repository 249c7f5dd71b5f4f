export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error';

/** A sink for log lines. Messages are plain text without secrets. */
export interface Logger {
  log(level: LogLevel, message: string): void;
}

export const NO_LOG: Logger = { log: () => undefined };

interface Loggers {
  readonly host: Logger;
  server(id: string): Logger;
}

/** The same for the logs of the host and all servers. */
export function cleaningAll(logs: Loggers, clean: (text: string) => string): Loggers {
  return { host: cleaning(logs.host, clean), server: (id) => cleaning(logs.server(id), clean) };
}

/** A logger that passes every line through `clean`. */
export function cleaning(logger: Logger, clean: (text: string) => string): Logger {
  return { log: (level, message) => logger.log(level, clean(message)) };
}
