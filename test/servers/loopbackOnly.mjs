// Preloaded by a published server, so that it only listens on this machine.
import { Server } from 'node:net';

const { listen } = Server.prototype;

Server.prototype.listen = function (...args) {
  const [first, second] = args;
  const port = typeof first === 'string' ? Number(first) : first;
  if (!Number.isInteger(port)) return listen.apply(this, args);
  return listen.apply(this, [port, '127.0.0.1', ...args.slice(typeof second === 'string' ? 2 : 1)]);
};
