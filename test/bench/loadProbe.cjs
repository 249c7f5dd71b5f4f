// Says how many milliseconds `require` of a bundle takes in a fresh process. `warm` is an extension host, which has
// loaded the modules of Node before; `cold` is a program that begins with it.
const { readFileSync } = require('node:fs');
const Module = require('node:module');

// Bundled code copies the names of a module, so they have to be there; what is behind them is called by nobody here.
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

// The text of the declarations is not to be collected on the bundle's time.
globalThis.gc();
const started = performance.now();
require(file);
const took = performance.now() - started;
process.stdout.write(`${JSON.stringify({ took })}\n`, () => process.exit(0));
