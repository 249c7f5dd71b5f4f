import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as library from '../../src/cli/library.ts';
import type * as gatewayModule from '../../src/node/gateway/gatewayServer.ts';
import { nodeIds } from '../../src/node/nodePorts.ts';
import { builtHost } from './buildPaths.ts';
import { serverCommand } from './clients/client.ts';
import { startHost } from './clients/host.ts';
import { Caller } from './gatewayProcedures.ts';
import type { Params } from './job.ts';
import type { Metrics } from './measure.ts';
import { median } from './statistics.ts';

/** Measures two hosts alternately, one of them with secrets. */
export type RedactProcedure = (variant: string, params: Params) => Promise<Metrics>;

const SERVER = 'bench';

/** Typical secrets: keys of several services, and a database. None of them is in the results. */
const SECRETS: Readonly<Record<string, string>> = {
  GITHUB_TOKEN: 'ghp_16C7e42F292c6912E7710c838347Ae178B4a',
  OPENAI_API_KEY: 'sk-proj-9fK2mQ7xV4bT1nZ8wR5cL3hJ6yD0sG2aE4uP7iO1',
  ANTHROPIC_API_KEY: 'sk-ant-api03-Qm7Vx2Lk9Rt4Wz8Yb3Nc6Hd1Jf5Gs0Pa',
  SLACK_BOT_TOKEN: 'xoxb-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY',
  STRIPE_SECRET_KEY: 'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  NPM_TOKEN: 'npm_Zk3pX9vB6mN1qW4eR7tY0uI2oP5aS8dF',
  SENTRY_AUTH_TOKEN: 'c0ffee254729296a45a3885639ac7e2f',
  DATABASE_URL: 'postgres://app:correct-horse-42@db.internal:5432/app',
  PGPASSWORD: 'battery-staple-17',
  SESSION_SECRET: 'a1f4c9d27b3e8605',
  WEBHOOK_SECRET: 'whsec_5f0c7d2e9b8a4613',
};

/** Removes the machine's secrets, so that the empty list is empty. */
function forgetEnvironment(): void {
  for (const name of Object.keys(process.env))
    if (!['PATH', 'HOME', 'SystemRoot', 'TEMP', 'TMPDIR'].includes(name)) Reflect.deleteProperty(process.env, name);
}

interface Way {
  readonly call: () => Promise<void>;
  readonly close: () => Promise<void>;
}

type OpenWay = (host: library.Host, args: library.JsonObject, tool: string) => Promise<Way>;

/** The text for a model. */
const asText: OpenWay = async (host, args, tool) => ({
  call: async () => {
    const { modelText } = await host.callTool({ server: SERVER, tool, args, route: 'participant' });
    if (modelText === '') throw new Error('There is no text for a model.');
  },
  close: () => host.close(),
});

/** Reads and drops the JSON message, because the client's processing does not count. */
const throughGateway: OpenWay = async (host, args, tool) => {
  const built = join(dirname(builtHost), 'gatewayServer.js');
  const { startGateway } = createRequire(import.meta.url)(built) as typeof gatewayModule;
  const gateway = await startGateway({ host, ids: nodeIds });
  const caller = new Caller(gateway.address(SERVER), 'application/json');
  await caller.open();
  return {
    call: () => caller.large(tool, args),
    close: async () => {
      caller.close();
      await gateway.dispose();
      await host.close();
    },
  };
};

const variants: Readonly<Record<string, readonly [OpenWay, string]>> = {
  gatewayText: [throughGateway, 'text'],
  gatewayObjects: [throughGateway, 'objects'],
  modelText: [asText, 'text'],
  modelObjects: [asText, 'objects'],
};

const took = async ({ call }: Way): Promise<number> => {
  globalThis.gc?.();
  const started = performance.now();
  await call();
  return performance.now() - started;
};

/** Alternates calls of both hosts and their order, so that disturbances affect both. */
const redacted: RedactProcedure = async (variant, params) => {
  const [open, tool] = variants[variant] ?? [];
  if (open === undefined || tool === undefined) throw new Error(`There is no variant "${variant}".`);
  forgetEnvironment();
  const args = { bytes: Number(params['bytes']) };
  const plainHost = await startHost({ [SERVER]: serverCommand });
  const secretHost = await startHost({ [SERVER]: { ...serverCommand, env: SECRETS } });
  const marked = Object.values(SECRETS).map((secret) => secretHost.redact(secret));
  if (!marked.every((text) => text.includes('[secret: '))) throw new Error(`Not all are secrets: ${marked.join(', ')}`);
  const [plain, secret] = [await open(plainHost, args, tool), await open(secretHost, args, tool)];
  const without: number[] = [];
  const ours: number[] = [];
  const pairs = Number(params['pairs']);
  for (let pair = -Math.ceil(pairs / 4); pair < pairs; pair++) {
    const isFirst = pair % 2 === 0;
    const before = isFirst ? await took(secret) : undefined;
    const bare = await took(plain);
    const own = before ?? (await took(secret));
    if (pair < 0) continue;
    without.push(bare);
    ours.push(own);
  }
  await plain.close();
  await secret.close();
  const ratios = ours.map((ms, index) => ms / (without[index] ?? Number.NaN));
  return { without: median(without), with: median(ours), ratio: median(ratios) };
};

export const redactProcedures: Readonly<Record<string, RedactProcedure>> = { redacted };
