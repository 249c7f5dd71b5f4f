import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { GatewayAddress } from '../../src/node/gateway/gatewayServer.ts';

/**
 * Makes another process open a session at each address, like the editor with each running server. Resolves with a
 * function that ends the visit.
 */
export const visit = async (addresses: readonly GatewayAddress[]): Promise<() => Promise<unknown>> => {
  const script = join(import.meta.dirname, 'gatewayVisitor.mjs');
  const child = spawn(process.execPath, [script, JSON.stringify(addresses)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('The gateway was not visited.'))),
  ]);
  return () => {
    child.stdin.end();
    return ended;
  };
};
