// Preloaded by every process of the tests: TypeScript whose types were taken out once, by stripSources.ts, is not stripped
// again by each of the many hundred processes that a run starts, which was most of the work of the short ones.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');

const root = join(__dirname, '../..');
const folder = join(root, 'out/stripped');

/** By its content: what was changed since is not found, and Node strips it as usual. */
const keyOf = (text) => `${createHash('sha256').update(text).digest('hex')}.js`;

const stripped = (path) => {
  try {
    return readFileSync(join(folder, keyOf(readFileSync(path))), 'utf8');
  } catch {
    return undefined;
  }
};

registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith('file:') || !/\.ts($|[?#])/.test(url)) return next(url, context);
    const source = stripped(fileURLToPath(url));
    return source === undefined ? next(url, context) : { format: 'module', shortCircuit: true, source };
  },
});

module.exports = { folder, keyOf };
