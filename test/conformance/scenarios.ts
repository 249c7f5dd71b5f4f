import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inProject } from '../harness/paths.ts';
import { Problem } from '../harness/progress.ts';

/** The official suite, on the same Node as the harness. */
export const suiteFolder = inProject('node_modules/@modelcontextprotocol/conformance');

export interface Scenario {
  readonly name: string;
  /** The group in the report: a revision of the protocol, or another set. */
  readonly window: string;
  /** The revision for the run. Absent: the suite decides. */
  readonly version: string | undefined;
  /**
   * Number of distinct checks that a complete client passes. The suite also passes scenarios in which nothing happened,
   * so this number shows whether anything was tested. None for features that the host does not offer.
   */
  readonly checks: number;
}

type Expectations = Readonly<Record<string, Readonly<Record<string, number>>>>;

export const expectationsFile = inProject('test/conformance/expectations.json');

export const readExpectations = async (): Promise<Expectations> =>
  JSON.parse(await readFile(expectationsFile, 'utf8')) as Expectations;

/** `2025-11-25`, or `2025-11-25 later` for scenarios added after that revision. */
const versionOf = (window: string): string | undefined => /^\d{4}-\d\d-\d\d/.exec(window)?.[0];

export const readScenarios = async (): Promise<readonly Scenario[]> => {
  const windows = Object.entries(await readExpectations());
  return windows.flatMap(([window, scenarios]) =>
    Object.entries(scenarios).map(([name, checks]) => ({ name, window, version: versionOf(window), checks })),
  );
};

/** The names under `client:`. The file is a flat list, which needs no YAML parser. */
export const requiredClientScenarios = (yaml: string): readonly string[] => {
  const section = /^client:\n((?:[ \t]+.*\n|#.*\n|\n)*)/m.exec(yaml)?.[1] ?? '';
  return [...section.matchAll(/^\s+-\s+([\w/.-]+)\s*$/gm)].map((match) => match[1] ?? '');
};

/** A new release of the suite may require more scenarios, which must not be missed. */
export const checkCompleteness = async (scenarios: readonly Scenario[]): Promise<void> => {
  for (const revision of ['2025-11-25', '2026-07-28']) {
    const yaml = await readFile(join(suiteFolder, 'requirements', `${revision}.yaml`), 'utf8');
    const ours = new Set(scenarios.filter(({ window }) => window === revision).map(({ name }) => name));
    const required = requiredClientScenarios(yaml);
    const missing = required.filter((name) => !ours.has(name));
    if (required.length > 0 && missing.length === 0) continue;
    throw new Problem(
      required.length === 0
        ? `No scenario was found in the suite's requirements for ${revision}. Look at how that file is written now.`
        : `The suite requires of ${revision} what expectations.json does not name: ${missing.join(', ')}. Add it with the number of its checks.`,
    );
  }
};
