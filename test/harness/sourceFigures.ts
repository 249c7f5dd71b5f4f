import { dirname, basename, posix } from 'node:path';
import ts from 'typescript';

/** The texts of src and test, by path. */
export type Sources = ReadonlyMap<string, string>;

interface Import {
  readonly path: string;
  /** The imported names; `*` for all of them. */
  readonly names: readonly string[];
  /** The imported names that exist at run time, which excludes types. */
  readonly values: readonly string[];
  readonly isLate: boolean;
}

interface Reexport {
  readonly path: string;
  readonly name: string;
  /** Its name in the other file. */
  readonly original: string;
}

export interface Module {
  readonly path: string;
  readonly lines: number;
  readonly imports: readonly Import[];
  readonly packages: ReadonlySet<string>;
  /** Names that the file declares and exports. */
  readonly declared: readonly string[];
  readonly reexports: readonly Reexport[];
  /** Type assertions, without `as const`. */
  readonly assertions: number;
  /** Texts that may name a file. */
  readonly fileNames: ReadonlySet<string>;
}

const ALL = '*';

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) === true &&
  ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

const boundNames = (name: ts.BindingName): readonly string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isOmittedExpression(element) ? [] : boundNames(element.name)));

const propertyNames = (pattern: ts.ObjectBindingPattern): readonly string[] =>
  pattern.elements.map(({ propertyName, name }) => (propertyName ?? name).getText());

const throughParentheses = (node: ts.Node): ts.Node =>
  ts.isParenthesizedExpression(node.parent) || ts.isAwaitExpression(node.parent)
    ? throughParentheses(node.parent)
    : node;

/** The names used from `import(…)`, if the surrounding expression shows them. */
const lateNames = (call: ts.Node): readonly string[] => {
  const whole = throughParentheses(call);
  const { parent } = whole;
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) return propertyNames(parent.name);
  if (!ts.isPropertyAccessExpression(parent)) return [ALL];
  if (parent.name.text !== 'then') return [parent.name.text];
  const [callback] = ts.isCallExpression(parent.parent) ? parent.parent.arguments : [];
  const parameter = callback !== undefined && ts.isArrowFunction(callback) ? callback.parameters[0]?.name : undefined;
  return parameter !== undefined && ts.isObjectBindingPattern(parameter) ? propertyNames(parameter) : [ALL];
};

const importedNames = (clause: ts.ImportClause | undefined, withTypes: boolean): readonly string[] => {
  if (clause === undefined || (!withTypes && clause.phaseModifier === ts.SyntaxKind.TypeKeyword)) return [];
  const bindings = clause.namedBindings;
  if (bindings !== undefined && ts.isNamespaceImport(bindings)) return [ALL];
  const elements = (bindings?.elements ?? []).filter(({ isTypeOnly }) => withTypes || !isTypeOnly);
  const named = elements.map(({ propertyName, name }) => (propertyName ?? name).text);
  return clause.name === undefined ? named : ['default', ...named];
};

const isDeclaration = (
  node: ts.Node,
): node is
  | ts.FunctionDeclaration
  | ts.ClassDeclaration
  | ts.InterfaceDeclaration
  | ts.TypeAliasDeclaration
  | ts.EnumDeclaration =>
  ts.isFunctionDeclaration(node) ||
  ts.isClassDeclaration(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isEnumDeclaration(node);

const isSpecifier = ({ parent }: ts.Node): boolean =>
  ts.isImportDeclaration(parent) ||
  ts.isExportDeclaration(parent) ||
  (ts.isLiteralTypeNode(parent) && ts.isImportTypeNode(parent.parent));

class ModuleReader {
  readonly imports: Import[] = [];
  readonly packages = new Set<string>();
  readonly declared = new Set<string>();
  readonly reexports: Reexport[] = [];
  readonly fileNames = new Set<string>();
  assertions = 0;
  readonly #path: string;
  /** Imported names, as they are called in this file. */
  readonly #imported = new Map<string, Reexport>();

  constructor(path: string) {
    this.#path = path;
  }

  /** The path of a relative specifier. Others name packages. */
  #target(specifier: ts.Node | undefined): string | undefined {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return undefined;
    if (specifier.text.startsWith('.')) return posix.join(posix.dirname(this.#path), specifier.text);
    this.packages.add(specifier.text);
    return undefined;
  }

  #addImport(
    specifier: ts.Node | undefined,
    {
      names,
      values = names,
      isLate = false,
    }: { names: readonly string[]; values?: readonly string[]; isLate?: boolean },
  ): string | undefined {
    const path = this.#target(specifier);
    if (path !== undefined) this.imports.push({ path, names, values, isLate });
    return path;
  }

  #readImport(node: ts.ImportDeclaration): void {
    const names = importedNames(node.importClause, true);
    const values = importedNames(node.importClause, false);
    const path = this.#addImport(node.moduleSpecifier, { names, values });
    const bindings = node.importClause?.namedBindings;
    if (path === undefined || bindings === undefined || !ts.isNamedImports(bindings)) return;
    for (const { name, propertyName } of bindings.elements)
      this.#imported.set(name.text, { path, name: name.text, original: (propertyName ?? name).text });
  }

  #readExport({ moduleSpecifier, exportClause }: ts.ExportDeclaration): void {
    const named = exportClause !== undefined && ts.isNamedExports(exportClause) ? exportClause.elements : [];
    const path = this.#addImport(moduleSpecifier, { names: [] });
    if (path !== undefined && exportClause === undefined) this.reexports.push({ path, name: ALL, original: ALL });
    for (const { name, propertyName } of named) {
      const original = (propertyName ?? name).text;
      const imported = this.#imported.get(original);
      if (path !== undefined) this.reexports.push({ path, name: name.text, original });
      else if (imported !== undefined) this.reexports.push({ ...imported, name: name.text });
      else if (moduleSpecifier === undefined) this.declared.add(name.text);
    }
  }

  readStatement(node: ts.Statement): void {
    if (ts.isImportDeclaration(node)) this.#readImport(node);
    if (ts.isExportDeclaration(node)) this.#readExport(node);
    if (!isExported(node)) return;
    const names = ts.isVariableStatement(node)
      ? node.declarationList.declarations.flatMap(({ name }) => boundNames(name))
      : [isDeclaration(node) ? (node.name?.text ?? 'default') : 'default'];
    for (const name of names) this.declared.add(name);
  }

  readExpressions(node: ts.Node): void {
    if (ts.isAsExpression(node) && node.type.getText() !== 'const') this.assertions += 1;
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      this.#addImport(node.arguments[0], { names: lateNames(node), isLate: true });
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      this.#addImport(node.argument.literal, { names: [node.qualifier?.getText().split('.')[0] ?? ALL], values: [] });
    if (ts.isStringLiteralLike(node) && !isSpecifier(node) && /^[\w./-]+\.\w+$/.test(node.text))
      this.fileNames.add(node.text);
    ts.forEachChild(node, (child) => this.readExpressions(child));
  }
}

/** The parts of a file that the figures count. */
export const readModule = (path: string, text: string): Module => {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const reader = new ModuleReader(path);
  for (const statement of source.statements) reader.readStatement(statement);
  reader.readExpressions(source);
  const { imports, packages, declared, reexports, assertions, fileNames } = reader;
  return {
    path,
    lines: text.split('\n').length - 1,
    imports,
    packages,
    declared: [...declared],
    reexports,
    assertions,
    fileNames,
  };
};

export const readModules = (sources: Sources): readonly Module[] =>
  [...sources].map(([path, text]) => readModule(path, text));

const inSources = ({ path }: Module): boolean => path.startsWith('src/');

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** Files per folder, subfolders apart, the largest first. */
export const folderSizes = (paths: readonly string[]): readonly (readonly [folder: string, files: number])[] => {
  const sizes = new Map<string, number>();
  for (const path of paths) sizes.set(dirname(path), (sizes.get(dirname(path)) ?? 0) + 1);
  return [...sizes].sort(([a, first], [b, second]) => second - first || a.localeCompare(b));
};

const importersOf = (modules: readonly Module[]): ReadonlyMap<string, readonly Module[]> => {
  const found = new Map<string, Module[]>();
  for (const module of modules)
    for (const path of new Set(module.imports.map((each) => each.path)))
      found.set(path, [...(found.get(path) ?? []), module]);
  return found;
};

const SMALL = 80;

export interface SmallFiles {
  /** Files under 80 lines with a single importer, in the same folder. */
  readonly all: readonly string[];
  /** Those without a reason: a test, the start of a bundle, or the only part that is independent of the editor. */
  readonly unexplained: readonly string[];
}

export const smallFiles = (modules: readonly Module[], bundles: ReadonlySet<string>): SmallFiles => {
  const importers = importersOf(modules.filter(inSources));
  const tests = modules.filter(({ path }) => path.endsWith('.test.ts'));
  const tested = new Set(tests.flatMap(({ imports }) => imports.map(({ path }) => path)));
  const testNames = new Set(tests.map(({ path }) => basename(path, '.test.ts')));
  const single = modules.filter(inSources).flatMap((module) => {
    const [importer, ...others] = importers.get(module.path) ?? [];
    if (module.lines >= SMALL || importer === undefined || others.length > 0) return [];
    return dirname(importer.path) === dirname(module.path) ? [{ module, importer }] : [];
  });
  const hasReason = ({ module, importer }: (typeof single)[number]): boolean =>
    tested.has(module.path) ||
    testNames.has(basename(module.path, '.ts')) ||
    bundles.has(module.path) ||
    importer.imports.some(({ path, isLate }) => path === module.path && isLate) ||
    (importer.packages.has('vscode') && !module.packages.has('vscode'));
  return {
    all: single.map(({ module }) => module.path),
    unexplained: single.filter((each) => !hasReason(each)).map(({ module }) => module.path),
  };
};

const byKey = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>();
  for (const [key, value] of pairs) found.set(key, [...(found.get(key) ?? []), value]);
  return found;
};

const repeated = (pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, readonly string[]> =>
  new Map([...byKey(pairs)].filter(([, values]) => values.length > 1));

/** Names that may repeat in each folder. */
const COMMON_NAMES = new Set(['register.ts', 'lazy.ts', 'index.ts']);

export const repeatedFileNames = (paths: readonly string[]): ReadonlyMap<string, readonly string[]> =>
  repeated(paths.filter((path) => !COMMON_NAMES.has(basename(path))).map((path) => [basename(path), path]));

/** `core`, `editor`, …: the first folder below `src`. */
export const circleOf = (path: string): string => path.split('/')[1]?.replace(/\.ts$/, '') ?? '';

export const repeatedExports = (modules: readonly Module[]): ReadonlyMap<string, readonly string[]> =>
  repeated(modules.filter(inSources).flatMap(({ path, declared }) => declared.map((name) => [name, path] as const)));

/** The same within one circle. */
export const repeatedInCircle = (modules: readonly Module[]): ReadonlyMap<string, readonly string[]> =>
  repeated(
    modules
      .filter(inSources)
      .flatMap(({ path, declared }) => declared.map((name) => [`${name} in ${circleOf(path)}`, path] as const)),
  );

export interface ExportUses {
  readonly exports: number;
  /** Number of names used by one other file. */
  readonly once: number;
  /** `path name` of each name that only tests use. */
  readonly byTests: readonly string[];
  /** `path name` of each name that no other file uses. */
  readonly unused: readonly string[];
}

/** Uses of each exported name in `src`. A re-exported name counts as used if the re-export is used. */
export const exportUses = (modules: readonly Module[], bundles: ReadonlySet<string>): ExportUses => {
  const byPath = new Map(modules.map((module) => [module.path, module]));
  const users = new Map<string, Set<string>>();
  const keyOf = (path: string, name: string): string => `${path} ${name}`;
  const use = (path: string, name: string, user: string): void => {
    const module = byPath.get(path);
    if (module === undefined) return;
    const key = keyOf(path, name);
    const known = users.get(key) ?? new Set();
    if (known.has(user)) return;
    users.set(key, known.add(user));
    if (name === ALL) for (const each of module.declared) use(path, each, user);
    for (const reexport of module.reexports)
      if (name === ALL || reexport.name === ALL || reexport.name === name)
        use(reexport.path, reexport.name === ALL ? name : reexport.original, user);
  };
  for (const { path: user, imports } of modules)
    for (const { path, names } of imports) for (const name of names) use(path, name, user);
  // The exports of a bundle are for its loader.
  for (const path of bundles) use(path, ALL, 'esbuild.mjs');

  const own = modules.filter(inSources);
  const counted = own.flatMap(({ path, declared }) =>
    declared.map((name) => ({ key: keyOf(path, name), users: [...(users.get(keyOf(path, name)) ?? [])] })),
  );
  return {
    exports: counted.length,
    once: counted.filter((each) => each.users.length === 1).length,
    byTests: counted
      .filter((each) => each.users.length > 0 && each.users.every((user) => user.startsWith('test/')))
      .map(({ key }) => key),
    unused: counted.filter((each) => each.users.length === 0).map(({ key }) => key),
  };
};

/** Words of folders and file names that belong to one concept. */
export const CONCEPTS: Readonly<Record<string, RegExp>> = {
  'state and lineage': /^(states?|lineages?|checkpoints?|patch(es)?)$/,
  'scopes and approvals': /^(scopes?|approvals?|approver)$/,
  'push events': /^(push|events?|inbox)$/,
  models: /^(models?|inferences?|sampling)$/,
  'feature sets': /^(sets?)$/,
};

const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/(\.d)?\.ts$/, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

export interface Spread {
  readonly files: number;
  /** Folders with a file of the concept, by circle. The store counts as a circle. */
  readonly folders: ReadonlyMap<string, readonly string[]>;
}

/** `wire` has the shapes of every concept, and `node/store` all tables. */
const homeOf = (path: string): string => {
  if (path.startsWith('src/core/wire/')) return 'wire';
  return path.startsWith('src/node/store/') ? 'store' : circleOf(path);
};

const folderOf = (path: string): string => (dirname(path) === 'src' ? path : dirname(path));

/** The folders of a concept: its name is in the file name or in the folder name. */
export const spreadOf = (paths: readonly string[], concept: RegExp): Spread => {
  const found = paths.filter((path) =>
    [...dirname(path).split('/').slice(2), basename(path)].flatMap(wordsOf).some((word) => concept.test(word)),
  );
  const pairs = found.map((path) => [homeOf(path), folderOf(path)] as const);
  return {
    files: found.length,
    folders: new Map([...byKey(pairs)].map(([home, folders]) => [home, [...new Set(folders)].sort()])),
  };
};

const occurrences = (texts: readonly string[], pattern: RegExp): number =>
  texts.reduce((sum, text) => sum + [...text.matchAll(pattern)].length, 0);

/** Declared constants, by the first word of their name. */
export interface LimitNames {
  readonly max: number;
  readonly others: number;
}

export const limitNames = (sources: Sources): LimitNames => {
  const texts = [...sources].filter(([path]) => path.startsWith('src/')).map(([, text]) => text);
  return {
    max: occurrences(texts, /\b(const|readonly) MAX_/g),
    others: occurrences(texts, /\b(const|readonly) (MOST|LONGEST)_/g),
  };
};
