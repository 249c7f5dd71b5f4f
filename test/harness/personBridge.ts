import { once } from 'node:events';
import { type IncomingMessage, createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { Person } from './person.ts';
import { Problem } from './progress.ts';

export interface PersonBridge {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

/** Shortens Playwright's messages. Their first line names the awaited element. */
const summarize = (error: unknown): string => {
  const text = stripVTControlCharacters(error instanceof Error ? error.message : String(error));
  return text.split('\n').slice(0, 6).join('\n');
};

const act = async (person: () => Promise<Person>, body: string): Promise<unknown> => {
  const { action, args } = JSON.parse(body) as { action: string; args: readonly string[] };
  const found = Object.entries(await person()).find(([name]) => name === action);
  if (found === undefined) throw new Problem(`A person in these tests cannot "${action}". See test/harness/person.ts.`);
  return (found[1] as (...given: readonly string[]) => Promise<unknown>)(...args);
};

/** Lets tests in the extension host request user actions: one POST per action, answered when it is done. */
export const openPersonBridge = async (person: () => Promise<Person>): Promise<PersonBridge> => {
  const path = `/${randomUUID()}`;
  const server = createServer((request, response) => {
    const reply = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
    };
    if (request.url !== path) return reply(404, 'Unknown address.');
    readBody(request)
      .then((body) => act(person, body))
      .then(
        (result) => reply(200, result),
        (error: unknown) => reply(500, summarize(error)),
      );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Problem('The person bridge found no port. Try again.');
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { url: `http://127.0.0.1:${address.port}${path}`, close };
};
