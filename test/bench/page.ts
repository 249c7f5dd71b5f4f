import { readFile, writeFile } from 'node:fs/promises';
import { inProject } from '../harness/paths.ts';
import { mustRun } from '../harness/processes.ts';
import { Problem } from '../harness/progress.ts';
import { type Measured, measuredTable, titleWithCount, verdictsOf, verdictsTable } from './report.ts';
import type { Machine, Run } from './savedRun.ts';
import { figure, type Table } from './table.ts';
import type { Verdict } from './verdict.ts';

const PAGE = 'docs/performance.md';
const BEGIN = '<!-- What `npm run bench` measured: written by it, from here -->';
const END = '<!-- to here. -->';

/** Escapes markup characters. */
const plain = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>|]/g, String.raw`\$&`);
/** A value with its spread, or a name, without markup. */
const cell = (text: string): string => (text === '' ? '' : text.replaceAll('|', String.raw`\|`));
const code = (text: string): string => `\`${cell(text)}\``;

const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

const markdown = ({ head, rows }: Table, isWords: (column: number) => boolean): string =>
  [row(head), row(head.map((_title, column) => (isWords(column) ? '---' : '---:'))), ...rows.map(row)].join('\n');

const machineText = ({ cpu, cores, gigabytes, system, node, loadBefore, pinned }: Machine): string =>
  [
    `${plain(cpu)} with ${cores} cores, ${figure(gigabytes)} GB of memory, ${plain(system)}, Node ${node}.`,
    `Load before: ${figure(loadBefore)}.`,
    ...(pinned ? [] : ['Processes could not be pinned to cores.']),
  ].join(' ');

const verdictsPart = (verdicts: readonly Verdict[]): readonly string[] => {
  if (verdicts.length === 0) return [];
  const rows = verdictsTable(verdicts).rows.map(([id = '', what = '', measured = '', wanted = '', verdict = '']) => [
    plain(id),
    plain(what),
    cell(measured),
    wanted.replace('<=', 'at most').replace('>=', 'at least'),
    verdict === 'met' ? 'met' : '**missed**',
  ]);
  const head = ['Target', 'What', 'Measured', 'Wanted', 'Verdict'];
  return ['### Targets', markdown({ head, rows }, (column) => column !== 2)];
};

const measuredPart = (measured: Measured): readonly string[] => {
  const { head, rows } = measuredTable(measured);
  const named = rows.map(([variant = '', ...figures]) => [code(variant), ...figures.map(cell)]);
  const { measure } = measured;
  return [
    `### ${code(measure.id)}: ${plain(titleWithCount(measure))}`,
    markdown({ head: head.map(plain), rows: named }, (column) => column === 0),
  ];
};

/** The figures of one run as a page section. Prettier aligns the tables. */
export const sectionText = ({ date, quick, machine, results }: Run): string => {
  const verdicts = results.flatMap(verdictsOf);
  const met = verdicts.filter((verdict) => verdict.met).length;
  const look = quick ? ' in a quick look, which is less certain,' : '';
  return [
    `Measured on ${date.slice(0, 10)}${look} on ${machineText(machine)}`,
    `Targets met: ${met} of ${verdicts.length}. Cells are \`median [min..max]\` of the repetitions.`,
    ...verdictsPart(verdicts),
    ...results.flatMap(measuredPart),
  ].join('\n\n');
};

/** Replaces the generated section and keeps everything else. */
export const withSection = (page: string, section: string): string => {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin)
    throw new Problem(`${PAGE} has lost its place for figures. Put "${BEGIN}" and "${END}" back into it.`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${section}\n\n${page.slice(end)}`;
};

export const writePage = async (run: Run): Promise<void> => {
  const file = inProject(PAGE);
  await writeFile(file, withSection(await readFile(file, 'utf8'), sectionText(run)));
  const prettier = inProject('node_modules/prettier/bin/prettier.cjs');
  await mustRun(process.execPath, [prettier, '--write', file], { next: 'See above.' });
};
