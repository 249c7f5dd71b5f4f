// Preloaded by every test process: uses sources whose types stripSources.ts removed once. Stripping took most of the
// time of short processes, and a run starts many hundred.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { registerHooks } = require('node:module');
const { join } = require('node:path');
const { fileURLToPath } = require('node:url');

const root = join(__dirname, '../..');
const folder = join(root, 'out/stripped');

/** By content: Node strips changed files as usual. */
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
