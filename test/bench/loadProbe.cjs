// Prints the time of `require` for a bundle in a fresh process, in milliseconds. `warm`: an extension host, which has
// already loaded Node's modules. `cold`: a program that starts with the bundle.
const { readFileSync } = require('node:fs');
const Module = require('node:module');

// Bundled code copies the names of a module, so they must exist. Nothing here calls them.
const anything = new Proxy(function () {}, {
  get: (target, key) => (key === 'prototype' ? target.prototype : key === Symbol.toPrimitive ? () => '' : anything),
  apply: () => anything,
  construct: () => anything,
});
const declarations = readFileSync(require.resolve('@types/vscode/index.d.ts'), 'utf8');
const names = declarations.matchAll(/^\s*export (?:class|enum|namespace|const|function) (\w+)/gm);
const editor = Object.fromEntries([...names].map(([, name]) => [name, anything]));

const load = Module._load;
Module._load = (request, ...rest) => (request === 'vscode' ? editor : load(request, ...rest));

const [file, state] = process.argv.slice(2);
const usual =
  'async_hooks buffer child_process crypto dns events fs fs/promises http https net os path perf_hooks process querystring readline stream stream/promises string_decoder timers timers/promises tls tty url util worker_threads zlib';
if (state === 'warm') for (const name of usual.split(' ')) require(`node:${name}`);

// Collects garbage of the declarations before the measurement.
globalThis.gc();
const started = performance.now();
require(file);
const took = performance.now() - started;
process.stdout.write(`${JSON.stringify({ took })}\n`, () => process.exit(0));
