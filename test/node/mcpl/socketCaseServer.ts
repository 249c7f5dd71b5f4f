import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { isJsonObject, parseJson } from '../../../src/core/index.ts';
import { waitUntil } from '../../support/processes.ts';
import { answerOf, type Answers, CaseLife, type Hands, type Responder } from '../cases/caseServer.ts';

/** The same scripted server over WebSocket: one life per connection, with the same interface as a process. */
export class SocketCaseServer {
  readonly lives: CaseLife[] = [];
  readonly answers: Record<string, Responder>;
  readonly #sockets: WebSocketServer;

  private constructor(sockets: WebSocketServer, answers: Answers) {
    this.#sockets = sockets;
    this.answers = { ...answers };
  }

  static async listen(answers: Answers): Promise<SocketCaseServer> {
    const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
    await once(sockets, 'listening');
    const server = new SocketCaseServer(sockets, answers);
    sockets.on('connection', (socket) => server.#serve(socket));
    return server;
  }

  get url(): string {
    return `ws://127.0.0.1:${(this.#sockets.address() as AddressInfo).port}/mcpl`;
  }

  get life(): CaseLife {
    const life = this.lives.at(-1);
    assert.ok(life !== undefined, 'Nobody has connected to the server.');
    return life;
  }

  async started(nth = 1): Promise<CaseLife> {
    await waitUntil(`connection ${nth}`, () => this.lives.length >= nth);
    const life = this.lives[nth - 1];
    assert.ok(life !== undefined);
    return life;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets.clients) socket.terminate();
    await new Promise((resolve) => this.#sockets.close(resolve));
  }

  #serve(socket: WebSocket): void {
    const life: CaseLife = new CaseLife(
      0,
      handsOf(socket, () => life),
    );
    this.lives.push(life);
    socket.on('error', () => undefined);
    socket.on('close', () => life.ended());
    socket.on('message', (data) => {
      const message = life.take({ line: String(data), at: Date.now() });
      if (message === undefined) return;
      void answerOf(this.answers, life, message).then((answer) =>
        answer === undefined ? undefined : life.say(answer),
      );
    });
  }
}

/** Implements the commands for a socket: each line is one message. */
function handsOf(socket: WebSocket, life: () => CaseLife): Hands {
  return {
    write: (command) => {
      const given = parseJson(command);
      assert.ok(isJsonObject(given));
      const { do: name, id, pieces } = given;
      const done = (): unknown => life().take({ done: id ?? null });
      if (name !== 'write') {
        assert.ok(name === 'exit' || name === 'kill', `A socket does not ${String(name)}.`);
        socket.terminate();
        return;
      }
      const bytes = (Array.isArray(pieces) ? pieces : []).map((piece) => Buffer.from(String(piece), 'base64'));
      const lines = Buffer.concat(bytes).toString().replace(/\n$/, '').split('\n');
      for (const line of lines.slice(0, -1)) socket.send(line);
      socket.send(lines.at(-1) ?? '', done);
    },
  };
}
