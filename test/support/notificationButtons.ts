import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/** The button titles of one notification, and the file that shows it. */
export interface NotificationButtons {
  readonly file: string;
  readonly titles: readonly string[];
}

/** Alternatives: each is the titles of one notification. */
type Rows = readonly (readonly string[])[];

/** The buttons of all `notify` calls in the sources, except in modal dialogs. `given` has those that are computed. */
export function notificationButtons(given: Readonly<Record<string, Rows>>): readonly NotificationButtons[] {
  const unused = new Set(Object.keys(given));
  const found = globSync('{extension.ts,editor/**/*.ts}', { cwd: SOURCES }).flatMap((file) =>
    callsIn(parse(file)).flatMap((buttons) => {
      try {
        return rowsOf(buttons).map((titles) => ({ file, titles }));
      } catch (error) {
        const rows = given[file];
        if (!(error instanceof Computed) || rows === undefined) throw error;
        unused.delete(file);
        return rows.map((titles) => ({ file, titles }));
      }
    }),
  );
  assert.deepEqual([...unused], [], 'These files compute no buttons.');
  return found;
}

/** The titles are not written at the call. */
class Computed extends Error {
  constructor(node: ts.Node) {
    super(`${node.getSourceFile().fileName}: the titles of "${node.getText()}" are computed. Add them to the test.`);
  }
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(`${SOURCES}${file}`, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The `buttons` of each call of `notify` with buttons. */
function callsIn(file: ts.SourceFile): readonly ts.Expression[] {
  return descendants(file).flatMap((node) => {
    if (!ts.isCallExpression(node) || node.expression.getText() !== 'notify') return [];
    const [options] = node.arguments;
    assert.ok(options !== undefined && ts.isObjectLiteralExpression(options), `${file.fileName}: ${node.getText()}`);
    const buttons = memberOf(options, 'buttons');
    return buttons === undefined || memberOf(options, 'modalDetail') !== undefined ? [] : [buttons];
  });
}

function descendants(node: ts.Node): readonly ts.Node[] {
  const all: ts.Node[] = [];
  const visit = (each: ts.Node): void => {
    all.push(each);
    ts.forEachChild(each, visit);
  };
  ts.forEachChild(node, visit);
  return all;
}

function memberOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  for (const member of object.properties) {
    if (member.name?.getText() !== name) continue;
    if (ts.isPropertyAssignment(member)) return member.initializer;
    if (ts.isShorthandPropertyAssignment(member)) return member.name;
  }
  return undefined;
}

/** The titles of an array of buttons. */
function rowsOf(node: ts.Expression): Rows {
  if (ts.isArrayLiteralExpression(node))
    return node.elements.reduce<Rows>(
      (rows, element) => {
        const next = ts.isSpreadElement(element)
          ? rowsOf(element.expression)
          : titlesOf(element).map((title) => [title]);
        return rows.flatMap((row) => next.map((titles) => [...row, ...titles]));
      },
      [[]],
    );
  return alternatives(node, rowsOf);
}

/** The possible titles of a button. */
function titlesOf(node: ts.Expression): readonly string[] {
  if (ts.isObjectLiteralExpression(node)) {
    const title = memberOf(node, 'title');
    return title === undefined ? [] : textsOf(title);
  }
  // A function that makes a button takes its title first.
  if (ts.isCallExpression(node) && node.arguments[0] !== undefined) return textsOf(node.arguments[0]);
  return alternatives(node, titlesOf);
}

function textsOf(node: ts.Expression): readonly string[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isCallExpression(node) && node.expression.getText() === 'vscode.l10n.t' && node.arguments[0] !== undefined)
    return textsOf(node.arguments[0]);
  return alternatives(node, textsOf);
}

/** Reads both branches of a condition, and all values of a variable of this file. */
function alternatives<T>(node: ts.Expression, read: (node: ts.Expression) => readonly T[]): readonly T[] {
  if (ts.isParenthesizedExpression(node)) return read(node.expression);
  if (ts.isConditionalExpression(node)) return [...read(node.whenTrue), ...read(node.whenFalse)];
  const values = ts.isIdentifier(node) ? valuesOf(node) : [];
  if (values.length === 0) throw new Computed(node);
  return values.flatMap(read);
}

/** The initial value of a variable, and all values that are assigned to it later. */
function valuesOf(name: ts.Identifier): readonly ts.Expression[] {
  for (let scope: ts.Node = name.parent; !ts.isSourceFile(scope); scope = scope.parent) {
    if (!ts.isBlock(scope)) continue;
    const values = descendants(scope).flatMap((node) => {
      if (ts.isVariableDeclaration(node) && node.name.getText() === name.text) return node.initializer ?? [];
      const isAssigned =
        ts.isBinaryExpression(node) &&
        node.operatorToken.kind === ts.SyntaxKind.EqualsToken &&
        node.left.getText() === name.text;
      return isAssigned ? node.right : [];
    });
    if (values.length > 0) return values;
  }
  return [];
}
