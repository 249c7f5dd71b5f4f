import { createHost, type Host, type JsonObject } from '../../src/core/index.ts';
import { findScripts } from '../../src/cli/scripts.ts';
import { CLIENT } from '../../src/cli/version.ts';
import { AuthService } from '../../src/node/auth/authService.ts';
import { memorySecrets } from '../../src/node/auth/memorySecrets.ts';
import { NodeConnector } from '../../src/node/connector.ts';
import { openStreamableHttp } from '../../src/node/streamableHttp.ts';
import { memoryStorage } from '../../src/node/memoryStorage.ts';
import { nodeClock, nodeIds } from '../../src/node/nodePorts.ts';
import { createSchemaChecker } from '../../src/node/schemaChecker.ts';
import { browser, elicitor, sampler, signIn } from './person.ts';

export const hostWith = (servers: JsonObject, auth: any): Host => {
  const log = { log: (level: string, message: string) => process.stderr.write(`${level} ${message}\n`) };
  const scripts = findScripts();
  const service = new AuthService({ secrets: memorySecrets(), prompt: signIn, browser });
  const real = new NodeConnector({ demoScript: scripts.demo });
  const host = createHost({
    client: CLIENT,
    ports: {
      clock: nodeClock,
      ids: nodeIds,
      logs: { host: log, server: () => log },
      storage: memoryStorage(),
      variables: {
        folders: [],
        userHome: '/',
        env: () => undefined,
        input: async () => ({ kind: 'undeclared' }),
        readFile: async () => '',
      },
      connector: {
        open: async (connection, context) => {
          if (connection.kind !== 'remote') return real.open(connection, context);
          const authorizer = service.authorizer({
            connection: { ...connection, auth: { flow: 'auto', ...auth } },
            context,
          });
          return openStreamableHttp(connection, context, { authorizer });
        },
      },
      consent: { ask: async () => 'start' },
      inputs: { elicitor, sampler, schemaChecker: createSchemaChecker({ workerPath: scripts.schemaWorker }) },
    } as any,
  });
  host.configure({ trusted: true, layers: [{ scope: 'user', servers }] });
  return host;
};
