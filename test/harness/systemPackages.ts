import { existsSync } from 'node:fs';
import { findProgram } from './paths.ts';
import { mustRun } from './processes.ts';
import { Problem, step } from './progress.ts';

/** System requirements that npm cannot install, by their Debian packages. */
export type SystemNeed = 'browser' | 'compiler' | 'python';

const macBrowsers = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

export const findBrowser = (): string | undefined =>
  process.env['MCPL_TEST_BROWSER'] ??
  findProgram(['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) ??
  macBrowsers.find((path) => existsSync(path));

const isPresent: Readonly<Record<SystemNeed, () => boolean>> = {
  browser: () => findBrowser() !== undefined,
  compiler: () => findProgram(['g++', 'clang++', 'c++']) !== undefined && findProgram(['make']) !== undefined,
  python: () => findProgram(['python3']) !== undefined,
};

const debianPackages: Readonly<Record<SystemNeed, readonly string[]>> = {
  browser: ['chromium'],
  compiler: ['g++', 'make'],
  python: ['python3'],
};

const withApt = async (packages: readonly string[]): Promise<void> => {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const next = `Install ${packages.join(', ')} by hand, then try again.`;
  await mustRun('apt-get', ['update'], { env, next });
  await mustRun('apt-get', ['install', '-y', '--no-install-recommends', ...packages], { env, next });
};

/** Installs missing packages on Debian as root. Otherwise prints the command and stops. */
export const ensureSystem = async (needs: readonly SystemNeed[]): Promise<void> => {
  const packages = needs.filter((need) => !isPresent[need]()).flatMap((need) => debianPackages[need]);
  if (packages.length === 0) return;
  const hasApt = findProgram(['apt-get']) !== undefined;
  if (!hasApt || process.getuid?.() !== 0) {
    const command = hasApt ? `sudo apt-get update && sudo apt-get install -y ${packages.join(' ')}` : undefined;
    const how = command === undefined ? 'Install them with the package manager of this system' : `Run: ${command}`;
    throw new Problem(`Missing on this machine: ${packages.join(', ')}. ${how}, then try again.`);
  }
  await step(`system packages: ${packages.join(', ')}`, () => withApt(packages));
};
