import { dirname, join } from 'node:path';

/** Scripts that run in a process or a thread of their own. */
export interface Scripts {
  readonly demo: string;
  readonly storeWorker: string;
  readonly schemaWorker: string;
}

/** They lie beside the bundle; run from the sources, they are sources themselves. */
export function findScripts(): Scripts {
  if (typeof __dirname === 'string')
    return {
      demo: join(__dirname, 'demo.js'),
      storeWorker: join(__dirname, 'storeWorker.js'),
      schemaWorker: join(__dirname, 'schemaWorker.js'),
    };
  const sources = dirname(import.meta.dirname);
  return {
    demo: join(sources, 'demo', 'server.ts'),
    storeWorker: join(sources, 'node', 'storeWorker.ts'),
    schemaWorker: join(sources, 'node', 'schemaWorker.ts'),
  };
}
