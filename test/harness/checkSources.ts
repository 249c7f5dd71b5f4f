/**
 * Compiles and lints the sources. The rules look at types, so they use the programs that the compiler has checked: each
 * on its own would compute all types again.
 *
 * `checkSources.ts --types [FILE…] --lint [FILE…]`; without a file, all of them.
 */
import { dirname, relative } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';
import { inProject, projectRoot } from './paths.ts';

/** The first program that has a file lints it: the core and the pages have settings of their own. */
const PROJECTS = ['src/core', 'src/webview', '.'];

const toPath = {
  getCanonicalFileName: (name: string) => name,
  getCurrentDirectory: () => projectRoot,
  getNewLine: () => '\n',
};

/** Parsed once for all programs: their settings differ in nothing that the parser looks at. */
const parsed = new Map<string, ts.SourceFile | undefined>();

const programOf = (folder: string): ts.Program => {
  const config = inProject(folder, 'tsconfig.json');
  const { config: settings, error } = ts.readConfigFile(config, (path) => ts.sys.readFile(path)) as {
    readonly config: unknown;
    readonly error?: ts.Diagnostic;
  };
  const command = ts.parseJsonConfigFileContent(settings, ts.sys, dirname(config), undefined, config);
  const host = ts.createCompilerHost(command.options, true);
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, options, ...rest) => {
    const format = typeof options === 'object' ? options.impliedNodeFormat : undefined;
    const key = `${name} ${format}`;
    if (!parsed.has(key)) parsed.set(key, parse(name, options, ...rest));
    return parsed.get(key);
  };
  return ts.createProgram({
    rootNames: command.fileNames,
    options: command.options,
    host,
    configFileParsingDiagnostics: [...(error === undefined ? [] : [error]), ...command.errors],
  });
};

const isOurs = ({ fileName }: ts.SourceFile): boolean => !fileName.includes('/node_modules/');

const problemsOf = (program: ts.Program, files: ReadonlySet<string>): readonly ts.Diagnostic[] => [
  ...program.getConfigFileParsingDiagnostics(),
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...program
    .getSourceFiles()
    .filter((file) => isOurs(file) && (files.size === 0 || files.has(relative(projectRoot, file.fileName))))
    .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]),
];

const checkTypes = (programs: readonly ts.Program[], files: ReadonlySet<string>): boolean => {
  const problems = ts.sortAndDeduplicateDiagnostics(programs.flatMap((program) => problemsOf(program, files)));
  process.stdout.write(ts.formatDiagnostics(problems, toPath));
  return problems.length === 0;
};

const lint = async (programs: readonly ts.Program[], files: readonly string[]): Promise<boolean> => {
  const eslint = new ESLint({
    cwd: projectRoot,
    warnIgnored: false,
    overrideConfig: { files: ['**/*.ts'], languageOptions: { parserOptions: { projectService: false, programs } } },
  });
  const results = await eslint.lintFiles(files.length === 0 ? ['.'] : [...files]);
  const formatter = await eslint.loadFormatter('stylish');
  process.stdout.write(await formatter.format(results));
  return results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
};

const listed = (flag: string): readonly string[] | undefined => {
  const start = process.argv.indexOf(flag);
  if (start < 0) return undefined;
  const rest = process.argv.slice(start + 1);
  const end = rest.findIndex((argument) => argument.startsWith('--'));
  return end < 0 ? rest : rest.slice(0, end);
};

const programs = PROJECTS.map(programOf);
const [toCheck, toLint] = [listed('--types'), listed('--lint')];
const passed = [
  toCheck === undefined || checkTypes(programs, new Set(toCheck)),
  toLint === undefined || (await lint(programs, toLint)),
];
process.exitCode = passed.every(Boolean) ? 0 : 1;
