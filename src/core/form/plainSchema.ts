import { cleanLine } from '../base/cleanText.ts';
import { clip, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';

/**
 * How to check values of a schema. Plain schemas take a few comparisons that always end. Others (references, patterns,
 * conditions) run in a thread that can be terminated.
 */
export type CompiledSchema =
  | { readonly kind: 'any' }
  | { readonly kind: 'plain'; readonly node: PlainNode }
  | { readonly kind: 'other' }
  /** No arguments can satisfy the schema, so it must be a mistake. */
  | { readonly kind: 'fault'; readonly why: string };

/** A part of a plain schema. Absent members are no restriction. */
interface PlainNode {
  readonly types: readonly string[] | undefined;
  readonly allowed: ReadonlySet<Json> | undefined;
  readonly required: readonly string[];
  readonly members: ReadonlyMap<string, PlainNode> | undefined;
  /** Whether only named members are allowed. */
  readonly isClosed: boolean;
  readonly items: PlainNode | undefined;
  readonly bounds: Bounds | undefined;
  /** At least one must match. */
  readonly branches: readonly PlainNode[] | undefined;
}

interface Bounds {
  readonly minimum: number;
  readonly maximum: number;
  readonly above: number;
  readonly below: number;
  readonly minLength: number;
  readonly maxLength: number;
  readonly minItems: number;
  readonly maxItems: number;
}

/** More steps would block the event loop too long. The thread takes over. */
const MAX_STEPS = 100_000;
const MAX_NODES = 10_000;
const MAX_PROBLEMS = 5;
const MAX_PROBLEM = 300;
const MAX_PATH = 150;
const MAX_SHOWN = 10;

const TYPES = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);
/** Plain keywords mean the same in all these dialects. */
const DIALECTS = /^https?:\/\/json-schema\.org\/(draft\/20(19-09|20-12)|draft-0[67])\/schema#?$/;
/** Assertion keywords that are not plain. Other unknown keywords are annotations. */
const OTHERS: ReadonlySet<string> = new Set([
  ...['$ref', '$dynamicRef', '$recursiveRef', 'allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependencies'],
  ...['dependentSchemas', 'dependentRequired', 'patternProperties', 'propertyNames', 'unevaluatedProperties'],
  ...['minProperties', 'maxProperties', 'additionalItems', 'prefixItems', 'contains', 'minContains', 'maxContains'],
  ...['unevaluatedItems', 'uniqueItems', 'pattern', 'multipleOf'],
]);

const ANY: PlainNode = {
  types: undefined,
  allowed: undefined,
  required: [],
  members: undefined,
  isClosed: false,
  items: undefined,
  bounds: undefined,
  branches: undefined,
};

/** Compiles the schema of a tool's arguments, once for each schema. Terminates on every input. */
export function compileSchema(schema: JsonObject): CompiledSchema {
  const { $schema: dialect } = schema;
  // Arguments are always an object, whatever the schema says.
  const types = typesOf(schema['type']);
  if (types?.includes('object') === false) return { kind: 'fault', why: 'The schema does not describe an object.' };
  if (dialect !== undefined && (typeof dialect !== 'string' || !DIALECTS.test(dialect))) return { kind: 'other' };
  const node = new Compiler().node(schema);
  if (node === undefined) return { kind: 'other' };
  return isUnrestricted(node) ? { kind: 'any' } : { kind: 'plain', node };
}

function isUnrestricted({ allowed, required, members, isClosed, items, bounds, branches }: PlainNode): boolean {
  const parts = [allowed, members, items, bounds, branches];
  return parts.every((part) => part === undefined) && required.length === 0 && !isClosed;
}

class Compiler {
  #nodes = 0;

  /** Returns `undefined` if the schema is not plain. */
  node(schema: Json | undefined): PlainNode | undefined {
    if (++this.#nodes > MAX_NODES) return undefined;
    if (schema === true) return ANY;
    if (!isJsonObject(schema)) return undefined;
    for (const keyword in schema) if (OTHERS.has(keyword) && !isIdle(keyword, schema[keyword])) return undefined;
    const types = typesOf(schema['type']);
    const allowed = allowedBy(schema);
    const required = textsOf(schema['required']);
    const members = this.#members(schema['properties']);
    const isClosed = closedBy(schema['additionalProperties']);
    const items = schema['items'] === undefined ? null : this.node(schema['items']);
    const bounds = boundsOf(schema);
    const branches = this.#branches(schema['anyOf']);
    const parts = { types, allowed, required, members, isClosed, items, bounds, branches };
    return Object.values(parts).includes(undefined) ? undefined : nodeOf(parts);
  }

  #members(properties: Json | undefined): ReadonlyMap<string, PlainNode> | null | undefined {
    if (properties === undefined) return null;
    if (!isJsonObject(properties)) return undefined;
    const members = new Map<string, PlainNode>();
    for (const [name, schema] of Object.entries(properties)) {
      const node = this.node(schema);
      if (node === undefined) return undefined;
      members.set(name, node);
    }
    return members;
  }

  #branches(anyOf: Json | undefined): readonly PlainNode[] | null | undefined {
    if (anyOf === undefined) return null;
    if (!isJsonArray(anyOf) || anyOf.length === 0) return undefined;
    const branches: PlainNode[] = [];
    for (const schema of anyOf) {
      const node = this.node(schema);
      if (node === undefined) return undefined;
      branches.push(node);
    }
    return branches;
  }
}

/** The parsed value of each keyword. */
type Parts = { readonly [K in keyof PlainNode]: PlainNode[K] | null | undefined };

function nodeOf({ types, allowed, required, members, isClosed, items, bounds, branches }: Parts): PlainNode {
  return {
    types: types ?? undefined,
    allowed: allowed ?? undefined,
    required: required ?? [],
    members: members ?? undefined,
    isClosed: isClosed === true,
    items: items ?? undefined,
    bounds: bounds ?? undefined,
    branches: branches ?? undefined,
  };
}

/** Keywords whose value allows everything. */
function isIdle(keyword: string, value: Json | undefined): boolean {
  return value === undefined || (keyword === 'uniqueItems' && value === false);
}

/** These functions return `null` for an absent keyword and `undefined` for one that is not plain. */
function typesOf(type: Json | undefined): readonly string[] | null | undefined {
  if (type === undefined) return null;
  const types = typeof type === 'string' ? [type] : isJsonArray(type) ? type : [];
  const known = types.filter((each): each is string => typeof each === 'string' && TYPES.has(each));
  return known.length === types.length && known.length > 0 ? known : undefined;
}

function allowedBy({ enum: choices, const: only }: JsonObject): ReadonlySet<Json> | null | undefined {
  if (choices === undefined && only === undefined) return null;
  // Both at once are rare, so the thread checks them.
  if (choices !== undefined && only !== undefined) return undefined;
  const values = only === undefined ? choices : [only];
  if (!isJsonArray(values)) return undefined;
  return values.every((value) => typeof value !== 'object' || value === null) ? new Set(values) : undefined;
}

function textsOf(value: Json | undefined): readonly string[] | null | undefined {
  if (value === undefined) return null;
  if (!isJsonArray(value)) return undefined;
  const texts = value.filter((item) => typeof item === 'string');
  return texts.length === value.length ? texts : undefined;
}

function closedBy(additional: Json | undefined): boolean | null | undefined {
  if (additional === undefined || additional === true) return null;
  if (additional === false) return true;
  return isJsonObject(additional) && Object.keys(additional).length === 0 ? null : undefined;
}

function boundsOf(schema: JsonObject): Bounds | null | undefined {
  let isBounded = false;
  const read = (keyword: string, absent: number): number => {
    const value = schema[keyword];
    if (value === undefined) return absent;
    isBounded = true;
    return typeof value === 'number' ? value : Number.NaN;
  };
  const count = (keyword: string, absent: number): number => {
    const value = read(keyword, absent);
    return value === absent || (Number.isInteger(value) && value >= 0) ? value : Number.NaN;
  };
  const bounds: Bounds = {
    minimum: read('minimum', -Infinity),
    maximum: read('maximum', Infinity),
    above: read('exclusiveMinimum', -Infinity),
    below: read('exclusiveMaximum', Infinity),
    minLength: count('minLength', 0),
    maxLength: count('maxLength', Infinity),
    minItems: count('minItems', 0),
    maxItems: count('maxItems', Infinity),
  };
  // Draft 4 has booleans here. The thread decides whether the schema is valid.
  if (Object.values(bounds).some((value) => Number.isNaN(value))) return undefined;
  return isBounded ? bounds : null;
}

/** The errors of a value, each with its path. `undefined` if the check takes too many steps. */
export function plainProblems(node: PlainNode, value: Json): readonly string[] | undefined {
  const check = new Check();
  if (check.fits(node, value)) return [];
  if (check.isOver) return undefined;
  const problems: string[] = [];
  check.collect(node, value, '', problems);
  return check.isOver ? undefined : problems;
}

class Check {
  #steps = 0;

  get isOver(): boolean {
    return this.#steps > MAX_STEPS;
  }

  /** Builds no messages, because most arguments are valid. */
  fits(node: PlainNode, value: Json | undefined): boolean {
    if (++this.#steps > MAX_STEPS) return false;
    if (node.types !== undefined && !node.types.some((type) => isOfType(value, type))) return false;
    if (node.allowed?.has(value ?? null) === false) return false;
    if (node.bounds !== undefined && boundProblem(node.bounds, value) !== undefined) return false;
    if (isJsonArray(value)) return this.#itemsFit(node, value) && this.#anyFits(node, value);
    if (isJsonObject(value)) return this.#membersFit(node, value) && this.#anyFits(node, value);
    return this.#anyFits(node, value);
  }

  #itemsFit({ items }: PlainNode, value: readonly Json[]): boolean {
    return items === undefined || value.every((item) => this.fits(items, item));
  }

  #membersFit({ required, members, isClosed }: PlainNode, value: JsonObject): boolean {
    this.#steps += required.length;
    for (const name of required) if (!isThere(value, name)) return false;
    if (members === undefined && !isClosed) return true;
    for (const name in value) {
      if (!isThere(value, name)) continue;
      const member = members?.get(name);
      if (member === undefined ? isClosed : !this.fits(member, value[name])) return false;
      this.#steps++;
    }
    return true;
  }

  #anyFits({ branches }: PlainNode, value: Json | undefined): boolean {
    return branches === undefined || branches.some((branch) => this.fits(branch, value));
  }

  collect(node: PlainNode, value: Json | undefined, path: string, problems: string[]): void {
    if (problems.length >= MAX_PROBLEMS || this.isOver || this.fits(node, value)) return;
    const add = (problem: string, at = path): void => {
      if (problems.length < MAX_PROBLEMS) problems.push(clip(`${shownPath(at)}: ${problem}`, MAX_PROBLEM));
    };
    const { types, allowed, bounds, branches } = node;
    if (types !== undefined && !types.some((type) => isOfType(value, type)))
      return add(`must be ${types.join(' or ')}, not ${nameOf(value)}.`);
    if (allowed?.has(value ?? null) === false) return add(`must be ${choicesText(allowed)}.`);
    const outside = bounds === undefined ? undefined : boundProblem(bounds, value);
    if (outside !== undefined) return add(outside);
    if (isJsonArray(value)) this.#collectItems(node, value, path, problems);
    else if (isJsonObject(value)) this.#collectMembers(node, value, path, problems, add);
    if (branches !== undefined && !this.#anyFits(node, value))
      this.#collectBranch(branches, value, path, problems, add);
  }

  /** Reports the errors of the branch whose type matches the value. */
  #collectBranch(
    branches: readonly PlainNode[],
    value: Json | undefined,
    path: string,
    problems: string[],
    add: (problem: string) => void,
  ): void {
    const near = branches.find((branch) => branch.types?.some((type) => isOfType(value, type)) === true);
    if (near !== undefined) this.collect(near, value, path, problems);
    else add(`must be ${typesText(branches)}, not ${nameOf(value)}.`);
  }

  #collectItems({ items }: PlainNode, value: readonly Json[], path: string, problems: string[]): void {
    if (items === undefined) return;
    for (const [index, item] of value.entries()) this.collect(items, item, `${path}/${index}`, problems);
  }

  #collectMembers(
    { required, members, isClosed }: PlainNode,
    value: JsonObject,
    path: string,
    problems: string[],
    add: (problem: string, at: string) => void,
  ): void {
    for (const name of required) if (!isThere(value, name)) add('is required.', pathTo(path, name));
    for (const name of Object.keys(value)) {
      if (!isThere(value, name)) continue;
      const member = members?.get(name);
      if (member !== undefined) this.collect(member, value[name], pathTo(path, name), problems);
      else if (isClosed) add('is not allowed here.', pathTo(path, name));
    }
  }
}

/** JSON drops members that are `undefined`. */
function isThere(object: JsonObject, name: string): boolean {
  return Object.hasOwn(object, name) && object[name] !== undefined;
}

function isOfType(value: Json | undefined, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function boundProblem(bounds: Bounds, value: Json | undefined): string | undefined {
  if (typeof value === 'number') return numberProblem(bounds, value);
  if (typeof value === 'string') return textProblem(bounds, value);
  if (!isJsonArray(value)) return undefined;
  if (value.length < bounds.minItems) return `must have at least ${bounds.minItems} items.`;
  return value.length > bounds.maxItems ? `must have at most ${bounds.maxItems} items.` : undefined;
}

function numberProblem(bounds: Bounds, value: number): string | undefined {
  if (value < bounds.minimum) return `must be at least ${bounds.minimum}.`;
  if (value > bounds.maximum) return `must be at most ${bounds.maximum}.`;
  if (value <= bounds.above) return `must be above ${bounds.above}.`;
  return value >= bounds.below ? `must be below ${bounds.below}.` : undefined;
}

function textProblem({ minLength, maxLength }: Bounds, value: string): string | undefined {
  // Schemas count characters, some of which take two UTF-16 units. Counting is only needed near the bounds.
  if (value.length < minLength || (value.length < minLength * 2 && lengthOf(value) < minLength))
    return `must have at least ${minLength} characters.`;
  return value.length > maxLength && (value.length > maxLength * 2 || lengthOf(value) > maxLength)
    ? `must have at most ${maxLength} characters.`
    : undefined;
}

function lengthOf(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) pairs++;
  return text.length - pairs;
}

function nameOf(value: Json | undefined): string {
  return value === null ? 'null' : isJsonArray(value) ? 'array' : typeof value;
}

function choicesText(allowed: ReadonlySet<Json>): string {
  const shown = [...allowed].slice(0, MAX_SHOWN).map((value) => clip(JSON.stringify(value), 60));
  const more = allowed.size > shown.length ? `, or one of ${allowed.size - shown.length} more` : '';
  return shown.length === 1 && more === '' ? (shown[0] ?? '') : `one of ${shown.join(', ')}${more}`;
}

function typesText(branches: readonly PlainNode[]): string {
  const types = new Set(branches.flatMap((branch) => branch.types ?? ['another value']));
  return [...types].join(' or ');
}

function pathTo(path: string, name: string): string {
  return `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Shows a JSON pointer. An empty path means the whole arguments. */
function shownPath(path: string): string {
  return path === '' ? 'The arguments' : cleanLine(path, MAX_PATH);
}
