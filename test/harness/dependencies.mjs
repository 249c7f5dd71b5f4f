// Checks whether node_modules matches package-lock.json, and updates it. Runs before node_modules exists.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';

export const projectRoot = resolve(import.meta.dirname, '../..');

const readPackages = (path) => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).packages;
  } catch {
    return undefined;
  }
};

/**
 * npm writes its hidden lockfile last, so a comparison also detects an interrupted installation. Optional packages of
 * other platforms are only in the project's lockfile.
 */
export const dependenciesAreInstalled = (root = projectRoot) => {
  const wanted = readPackages(join(root, 'package-lock.json'));
  const present = readPackages(join(root, 'node_modules/.package-lock.json'));
  if (wanted === undefined || present === undefined) return false;
  if (!existsSync(join(root, 'node_modules/node/bin'))) return false;
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || entry.optional === true || entry.peer === true || present[path]?.version === entry.version,
  );
};

/** The runtime in node_modules is about to be replaced, so npm itself must not run on it. */
export const withoutProjectBinaries = (path) =>
  path
    .split(delimiter)
    .filter((entry) => !entry.startsWith(join(projectRoot, 'node_modules')))
    .join(delimiter);

/** Returns an error message for users, or undefined. */
export const installDependencies = async () => {
  const started = Date.now();
  process.stdout.write('… dependencies: npm ci (once; about a minute)\n');
  const chunks = [];
  const code = await new Promise((done) => {
    const child = spawn('npm', ['ci', '--no-audit', '--no-fund'], {
      cwd: projectRoot,
      env: { ...process.env, PATH: withoutProjectBinaries(process.env.PATH ?? '') },
      shell: process.platform === 'win32',
    });
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.stderr.on('data', (chunk) => chunks.push(chunk));
    child.on('error', (error) => {
      chunks.push(Buffer.from(`${error.message}\n`));
      done(1);
    });
    child.on('close', done);
  });
  if (code !== 0) {
    return `${Buffer.concat(chunks).toString('utf8')}\n"npm ci" failed (see above). Check the network and the npm registry settings, then try again.`;
  }
  if (!dependenciesAreInstalled()) {
    return '"npm ci" finished, but node_modules does not match package-lock.json. Run "npm install", commit the lockfile and try again.';
  }
  process.stdout.write(`✓ dependencies ${((Date.now() - started) / 1000).toFixed(1)} s\n`);
  return undefined;
};
