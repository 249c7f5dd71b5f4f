// The entry point of every npm script. Plain JavaScript without packages: it must run on a fresh clone, on any version
// of Node, before anything is installed.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { dependenciesAreInstalled, installDependencies, projectRoot, withoutProjectBinaries } from './dependencies.mjs';

const commands = {
  bench: '../bench/run',
  conformance: 'conformance',
  debugPrepare: 'debugPrepare',
  figures: 'figures',
  interop: 'interop',
  mutation: '../mutation/run',
  package: 'package',
  scopesPrecision: 'scopesPrecision',
  setup: 'setup',
  start: 'start',
  test: 'test',
  testEditor: 'testEditor',
  testSlow: 'testSlow',
};

const fail = (message) => {
  process.stderr.write(`\n${message}\n`);
  process.exit(1);
};

const [command, ...rest] = process.argv.slice(2);
if (command === undefined || !Object.hasOwn(commands, command)) {
  fail(`Usage: node test/harness/enter.mjs <${Object.keys(commands).join('|')}> [options]`);
}
if (Number(process.versions.node.split('.')[0]) < 20) {
  fail(
    `This needs Node.js 20 or newer; ${process.execPath} is ${process.version}. Install a newer Node.js and try again.`,
  );
}
if (!dependenciesAreInstalled()) {
  const problem = await installDependencies();
  if (problem !== undefined) fail(problem);
}

const runtime = join(projectRoot, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');
if (!existsSync(runtime)) {
  fail(
    `${runtime} is missing, although the dependencies are installed. Run "npm ci" (install scripts must be allowed).`,
  );
}

const path = `${join(projectRoot, 'node_modules/.bin')}${delimiter}${withoutProjectBinaries(process.env.PATH ?? '')}`;
const child = spawn(runtime, [join(projectRoot, 'test/harness', `${commands[command]}.ts`), ...rest], {
  stdio: 'inherit',
  env: { ...process.env, PATH: path },
});
// Ctrl+C also reaches the child through the terminal's process group. This process must outlive it, to report its exit
// code.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill('SIGTERM'));
child.on('error', (error) => fail(`${runtime} could not be started: ${error.message}. Run "npm ci" and try again.`));
child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 1)));
