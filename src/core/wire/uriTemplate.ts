/** A parsed resource template (RFC 6570, all four levels except map values). */
interface UriTemplate {
  /** Names of its variables, without duplicates, in order of appearance. */
  readonly variables: readonly string[];
  /** Expands the template. As in the RFC, variables without a value are omitted. */
  expand(values: Readonly<Record<string, string | readonly string[] | undefined>>): string;
}

type Part = string | Expression;

interface Expression {
  readonly operator: Operator;
  readonly variables: readonly Variable[];
}

interface Variable {
  readonly name: string;
  readonly explode: boolean;
  /** Length of the prefix, in characters. */
  readonly prefix: number | undefined;
}

interface Operator {
  readonly first: string;
  readonly separator: string;
  readonly named: boolean;
  /** Suffix of a named variable with an empty value. */
  readonly ifEmpty: string;
  /** Whether reserved URI characters stay unencoded. */
  readonly reserved: boolean;
}

/** RFC 6570, appendix A. */
const SIMPLE: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false };
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['+', { ...SIMPLE, reserved: true }],
  ['#', { ...SIMPLE, first: '#', reserved: true }],
  ['.', { ...SIMPLE, first: '.', separator: '.' }],
  ['/', { ...SIMPLE, first: '/', separator: '/' }],
  [';', { ...SIMPLE, first: ';', separator: ';', named: true }],
  ['?', { ...SIMPLE, first: '?', separator: '&', named: true, ifEmpty: '=' }],
  ['&', { ...SIMPLE, first: '&', separator: '&', named: true, ifEmpty: '=' }],
]);

const MAX_TEMPLATE = 100_000;
const MAX_EXPRESSIONS = 100;
const MAX_VARIABLES = 200;
/** Maximum length of one value and of the result. */
const MAX_URI = 1_000_000;

const VARIABLE = /^((?:\w|%[\da-f]{2})(?:[\w.]|%[\da-f]{2})*)(?::([1-9]\d{0,3})|(\*))?$/i;

/** Returns the template, or why it is invalid. */
export function parseUriTemplate(template: string): UriTemplate | string {
  if (template.length > MAX_TEMPLATE) return `the template has ${template.length} characters`;
  const parts: Part[] = [];
  let at = 0;
  for (let open = template.indexOf('{'); open >= 0; open = template.indexOf('{', at)) {
    const close = template.indexOf('}', open);
    if (close < 0) return 'the template opens a brace and does not close it';
    const expression = parseExpression(template.slice(open + 1, close));
    if (typeof expression === 'string') return expression;
    parts.push(template.slice(at, open), expression);
    at = close + 1;
    if (parts.length > 2 * MAX_EXPRESSIONS) return `the template has more than ${MAX_EXPRESSIONS} expressions`;
  }
  parts.push(template.slice(at));
  const variables = [...new Set(parts.flatMap(namesOf))];
  if (variables.length > MAX_VARIABLES) return `the template has ${variables.length} variables`;
  return {
    variables,
    expand: (values) => {
      const own = (name: string): string | readonly string[] | undefined =>
        Object.hasOwn(values, name) ? values[name] : undefined;
      const uri = parts
        .map((part) => (typeof part === 'string' ? literal(part) : expandExpression(part, own)))
        .join('');
      return uri.slice(0, MAX_URI);
    },
  };
}

function namesOf(part: Part): readonly string[] {
  return typeof part === 'string' ? [] : part.variables.map(({ name }) => name);
}

function parseExpression(text: string): Expression | string {
  const operator = OPERATORS.get(text.charAt(0));
  const variables: Variable[] = [];
  for (const written of text.slice(operator === undefined ? 0 : 1).split(',')) {
    const match = VARIABLE.exec(written.trim());
    const name = match?.[1];
    if (match === null || name === undefined)
      return `the template has an expression that is none: {${text.slice(0, 40)}}`;
    const prefix = match[2] === undefined ? undefined : Number(match[2]);
    variables.push({ name, explode: match[3] !== undefined, prefix });
  }
  return { operator: operator ?? SIMPLE, variables };
}

type ValueOf = (name: string) => string | readonly string[] | undefined;

function expandExpression({ operator, variables }: Expression, valueOf: ValueOf): string {
  const pieces = variables.flatMap((variable) => {
    const value = valueOf(variable.name);
    return value === undefined || (typeof value !== 'string' && value.length === 0)
      ? []
      : expandVariable(variable, value, operator);
  });
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator);
}

function expandVariable(variable: Variable, value: string | readonly string[], operator: Operator): readonly string[] {
  const encode = operator.reserved ? encodeReserved : encodeStrict;
  const name = (text: string): string => {
    if (!operator.named) return text;
    return text === '' ? variable.name + operator.ifEmpty : `${variable.name}=${text}`;
  };
  if (typeof value === 'string') {
    const cut = variable.prefix === undefined ? value : [...value].slice(0, variable.prefix).join('');
    return [name(encode(cut))];
  }
  const items = value.map(encode);
  return variable.explode ? items.map(name) : [name(items.join(','))];
}

function encodeStrict(value: string): string {
  const escape = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(clean(value)).replace(/[!'()*]/g, escape);
}

/** Keeps reserved URI characters and existing percent-encodings. */
function encodeReserved(value: string): string {
  return clean(value).replace(/%[\da-f]{2}|%|[^\w.~:/?#[\]@!$&'()*+,;=%-]+/gi, (found) =>
    found.length === 3 && found.startsWith('%') ? found : encodeURIComponent(found),
  );
}

function literal(text: string): string {
  return encodeReserved(text);
}

/** A lone surrogate has no UTF-8 encoding. */
function clean(value: string): string {
  return value.slice(0, MAX_URI).replace(/\p{Surrogate}/gu, '\ufffd');
}
