import { readdirSync, readFileSync } from 'node:fs';
import { NO_CANCELLATION } from '../../src/core/base/cancellation.ts';
import type { Json, JsonObject } from '../../src/core/base/json.ts';
import { toolWith } from '../unit/core/scopes/paths/renderScope.ts';
import { hasAction } from '../../src/core/scopes/paths/valueTargets.ts';
import { ScopeEngine } from '../../src/core/scopes/paths/scopeEngine.ts';
import { inProject } from '../harness/paths.ts';
import { fakeFiles } from './fakeFiles.ts';
import { ordinaryArguments, USER_HOME, WORKSPACE } from './ordinaryArguments.ts';
import { seededRandom } from '../bench/schedule.ts';

/** Decisions of scopes about ordinary arguments for the tools of one server, in sets of arguments. */
export interface PrecisionRow {
  readonly server: string;
  readonly tools: number;
  readonly sets: number;
  readonly allowed: number;
  /** Sets of arguments that name no file, so that the whole call is asked about. */
  readonly nameless: number;
  /** Sets of arguments that describe an action in free text. */
  readonly actions: number;
  readonly needlessQuestions: readonly string[];
  readonly needlessRefusals: readonly string[];
}

const FOLDER = 'test/fixtures/publicTools';
const SETS_OF_A_TOOL = 3;
const SEED = 19;

/** The usual lists; every tool belongs to a set that has them. */
const SETTINGS = {
  lists: {
    set: {
      whitelist: ['${workspaceFolder}/**'],
      blacklist: ['**/.env', '**/secrets/**', '~/.ssh/**'],
      isBroken: false,
    },
  },
  adapters: {},
};
const PLACE = { folders: [{ name: 'project', path: WORKSPACE }], userHome: USER_HOME, bases: [WORKSPACE] };
const FILES = fakeFiles({
  ...Object.fromEntries(
    ['src/index.ts', 'README.md', '.env', 'secrets/k'].map((path) => [`${WORKSPACE}/${path}`, 'file']),
  ),
  ...Object.fromEntries(['/etc/hosts', '/usr/bin/env', '/tmp/x', '/home/me/.ssh/id'].map((path) => [path, 'file'])),
});

export async function measurePrecision(): Promise<readonly PrecisionRow[]> {
  const rows: PrecisionRow[] = [];
  const files = readdirSync(inProject(FOLDER)).filter((name) => name.endsWith('.json'));
  for (const file of files.sort()) {
    const { server, tools } = JSON.parse(readFileSync(inProject(`${FOLDER}/${file}`), 'utf8')) as {
      server: string;
      tools: { name: string; inputSchema: JsonObject }[];
    };
    rows.push(await rowOf(server, tools));
  }
  return rows;
}

async function rowOf(
  server: string,
  tools: readonly { readonly name: string; readonly inputSchema: JsonObject }[],
): Promise<PrecisionRow> {
  const engine = new ScopeEngine(FILES);
  const random = seededRandom(SEED + server.length);
  const counts = { allowed: 0, nameless: 0, actions: 0 };
  const needlessQuestions: string[] = [];
  const needlessRefusals: string[] = [];
  for (const { name, inputSchema } of tools)
    for (let set = 0; set < SETS_OF_A_TOOL; set++) {
      const { args, hasFile } = ordinaryArguments(inputSchema, random);
      const matter = { kind: 'call', tool: toolWith(inputSchema), args, adapter: undefined } as const;
      const judged = await engine.judge(
        { matter, featureSet: 'set', settings: SETTINGS, context: PLACE },
        NO_CANCELLATION,
      );
      const line = `${name} ${JSON.stringify(args as Json)}`;
      if (judged.verdict === 'deny') needlessRefusals.push(judged.by === 'host' ? `${line}: ${judged.why}` : line);
      else if (judged.verdict === 'allow') counts.allowed++;
      else if (hasAction(args)) counts.actions++;
      else if (judged.doubt === 'noTarget' && !hasFile) counts.nameless++;
      else needlessQuestions.push(`${line}: ${judged.targets.map(({ from, real }) => `${from} ${real}`).join(', ')}`);
    }
  const sets = tools.length * SETS_OF_A_TOOL;
  return { server, tools: tools.length, sets, ...counts, needlessQuestions, needlessRefusals };
}

/** The sum of all rows. */
export function totalOf(rows: readonly PrecisionRow[]): PrecisionRow {
  const sum = (of: (row: PrecisionRow) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    server: `${rows.length} servers`,
    tools: sum(({ tools }) => tools),
    sets: sum(({ sets }) => sets),
    allowed: sum(({ allowed }) => allowed),
    nameless: sum(({ nameless }) => nameless),
    actions: sum(({ actions }) => actions),
    needlessQuestions: rows.flatMap(({ needlessQuestions }) => needlessQuestions),
    needlessRefusals: rows.flatMap(({ needlessRefusals }) => needlessRefusals),
  };
}

export const needlessOf = ({ needlessQuestions, needlessRefusals }: PrecisionRow): number =>
  needlessQuestions.length + needlessRefusals.length;

const percent = (part: number, whole: number): string => `${((part / Math.max(1, whole)) * 100).toFixed(1)} %`;

/** The rows of a table in Markdown, for docs/security.md. */
export function tableOf(rows: readonly PrecisionRow[]): readonly string[] {
  const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
  const head = [
    'Server',
    'Tools',
    'Calls',
    'Allowed',
    'Names no file',
    'Command or code',
    'Needless questions',
    'Needless refusals',
    'Needless',
  ];
  return [
    line(head),
    line(head.map(() => '---')),
    ...[...rows, totalOf(rows)].map((row) =>
      line([
        ...[row.server, row.tools, row.sets, row.allowed, row.nameless, row.actions],
        ...[row.needlessQuestions.length, row.needlessRefusals.length, percent(needlessOf(row), row.sets)],
      ]),
    ),
  ];
}

export const PAGE = 'docs/security.md';
export const BEGIN = '<!-- Written by `npm run scopes:precision`, from here -->';
export const END = '<!-- to here -->';
