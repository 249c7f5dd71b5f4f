// Preloaded by every test process: uses sources whose types stripSources.ts removed once, and its bundles of programs that
// tests start often. Stripping and loading hundreds of files took most of the time of short processes.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { join, relative } = require('node:path');
const { fileURLToPath } = require('node:url');

const root = join(__dirname, '../..');
const folder = join(root, 'out/stripped');

/** Programs and workers that tests start often. Each bundle serves only the process or worker that starts with it. */
const programs = [
  'src/cli/main.ts',
  'src/demo/server.ts',
  'src/node/schemas/schemaWorker.ts',
  'src/node/store/storeWorker.ts',
  'test/conformance/client.ts',
  'test/node/importWriter.ts',
  'test/node/stateWriter.ts',
  'test/node/storeWriter.ts',
  'test/node/windowWriter.ts',
];

const bundleOf = (program) => join(folder, `${program.replaceAll('/', '-')}.js`);

/** By content: Node strips changed files as usual. */
const keyOf = (text) => `${createHash('sha256').update(text).digest('hex')}.js`;

const read = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

const stripped = (path) => {
  const text = read(path);
  return text === undefined ? undefined : read(join(folder, keyOf(text)));
};

let isFirst = true;

registerHooks({
  load: (url, context, next) => {
    const isEntry = isFirst;
    isFirst = false;
    if (!url.startsWith('file:') || !/\.ts($|[?#])/.test(url)) return next(url, context);
    const path = fileURLToPath(url);
    const name = relative(root, path).replaceAll('\\', '/');
    const source = isEntry && programs.includes(name) ? read(bundleOf(name)) : stripped(path);
    return source === undefined ? next(url, context) : { format: 'module', shortCircuit: true, source };
  },
});

module.exports = { folder, keyOf, programs, bundleOf };
