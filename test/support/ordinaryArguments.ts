import type { Json, JsonObject } from '../../src/core/base/json.ts';
import { isJsonArray, isJsonObject } from '../../src/core/base/json.ts';

/** The folder with the files of ordinary arguments. */
export const WORKSPACE = '/home/me/project';
export const USER_HOME = '/home/me';

/** Arguments as a model would write them, and whether they name a file of the workspace. */
export interface Ordinary {
  readonly args: JsonObject;
  readonly hasFile: boolean;
}

const FILES = [
  ...['src/index.ts', 'src/app/(site)/[slug]/page.tsx', 'README.md', './package.json', 'docs/guide/first steps.md'],
  ...['test/login.test.ts', 'node_modules/@types/node/index.d.ts', '.github/workflows/ci.yml', 'routes/$id.tsx'],
  ...['data/report 2026.csv', 'src/caf\u00e9.ts', 'a/b/../c.txt', 'Makefile', '.gitignore', 'src/components'],
];
const PATHS = [
  ...FILES,
  ...FILES.slice(0, 6).map((path) => `${WORKSPACE}/${path.replace(/^\.\//, '')}`),
  '.',
  WORKSPACE,
];
const URLS = [
  ...['https://example.org/', 'https://example.org/docs/start?lang=en&next=/home#top', 'http://localhost:3000/login'],
  ...['https://github.com/octo/hello-world.git', 'https://sub.example.com/a/../b', 'https://example.org/path/%20x'],
];
const SENTENCES = [
  ...['Fix the login page', 'How do I read /etc/hosts in Node?', 'What is new in 2026?', 'Add a test for src/login.ts'],
  ...['feat(auth): rotate the tokens of ../service', 'Summary of Q3 / Q4 results', 'List all open issues of @me'],
  ...[
    'Compare client/server and either/or',
    'Gr\u00f6\u00dfe \u00e4ndern \u{1f680}',
    'a "quoted" text, with (brackets) & signs',
  ],
];
const WORDS = [
  'main',
  'users',
  'production',
  'alpha-2',
  'Report_7',
  'item 12',
  'web',
  'api',
  'Alice',
  'octo-org',
  '42',
];
const CONTENTS = [
  ...['export const a = 1;\nexport const b = 2;\n', 'Hello!', '# Title\n\nSee [the guide](../guide.md).', '.env', ''],
  ...['/* only a comment */', 'import x from "../x";', '<a href="/home">Home</a>', '{"a":[1,2,{"b":null}]}'],
];

/** Values by member name. The first match counts. */
const BY_NAME: readonly (readonly [RegExp, readonly string[]])[] = [
  [
    /^fileAbsolutePath$|^workspaceRoot$|^imageDir/i,
    [WORKSPACE, `${WORKSPACE}/src/index.ts`, `${WORKSPACE}/data/book.xlsx`],
  ],
  [/^gitRemoteURL$/i, ['https://github.com/octo/hello-world.git', 'git@github.com:octo/hello-world.git']],
  [/filename(?:Suffix)?$|^fileName$/i, ['report.pdf', 'shot-1.png', 'out/trace.json', 'page.md']],
  [/url|uri$|link|webhook/i, URLS],
  [/filesToStage|^paths?$|path$|paths$|file$|files$|dir$|directory|folder|^workdir$|patchFile|valuesFile/i, PATHS],
  [
    /excludePatterns|includePatterns|exclude_?paths|include_?paths|select_paths/i,
    ['**/node_modules/**', 'src/**/*.{ts,tsx}', '*.log', '/blog/.*', '!dist'],
  ],
  [/content|^text$|body|message|markdown|html|newText|oldText|old_str|new_str/i, CONTENTS],
  [
    /selector|^element$|^ref$|^startElement|^endElement|iframe/i,
    ['#submit', 'button.primary > span', 'e12', 'text=Sign in', '[name="q"]', 'Login button', 'div:nth-child(2)'],
  ],
  [/includeTags|excludeTags/i, ['article', '#main', '.sidebar', 'h1']],
  [
    /query|search|^q$|question|prompt|task|goal|intent|instruction|thought|observation|reason|note|title|summary|subject|description/i,
    SENTENCES,
  ],
  [/pattern$|regex|grep/i, ['login', '\\bfoo\\(', '^import .* from', '*.ts', 'class [A-Z]\\w+', '(a|b)/c', 'logs-*']],
  [/sql|statement/i, ['SELECT * FROM users WHERE id = 1', "SELECT a/b FROM t WHERE name LIKE '%x%'"]],
  [/^function$|script|code|command/i, ['() => document.title', 'return 1 + 1', 'ls', 'get pods']],
  [
    /branch|^head$|^base$|remote|upstream|^onto$|commit|sha|^object$|startPoint|since$|until|tag/i,
    [
      'main',
      'origin/main',
      'HEAD~2',
      'feature/login',
      'v1.2.3',
      '4f2a9c1',
      'refs/heads/dev',
      '2026-01-01',
      'HEAD:src/index.ts',
      '@{upstream}',
    ],
  ],
  [/color|palette/i, ['#ff0000', 'rgba(0,0,0,.5)', 'red', '#5B8FF9']],
  [
    /^origins?$|destinations?$|address|location|place/i,
    ['Berlin', '1600 Amphitheatre Pkwy, Mountain View', '52.52,13.40'],
  ],
  [/channel/i, ['C0123456789', 'general']],
  [/emoji|reaction|icon|cover/i, ['tada', '\u{1f680}', '1\ufe0f\u20e3', 'https://example.org/icon.png']],
  [
    /date|time|timestamp|^start$|^end$|_ts$|period|after|before|schedule/i,
    ['2026-03-01T12:00:00Z', '2026-03-01', '14d', '1712345678.123456', '0 9 * * 1'],
  ],
  [/labels?elector|fieldSelector/i, ['app=web,tier in (api,db)', 'status.phase=Running', 'area/docs']],
  [/^range$|content_range/i, ['A1:C10', 'Sheet1!B2', '# Title...the end']],
  [
    /project(?:Slug|_slug)?$|^repo$|repository|^owner$|slug|organization/i,
    ['octo/hello-world', 'hello-world', 'gh/octo/hello', 'octo'],
  ],
  [/connectionString/i, ['mongodb://localhost:27017/test']],
  [/email/i, ['me@example.org']],
  [
    /value$|values$|^data$|stdin|input/i,
    ['42', 'Alice', '=SUM(A1:A3)', 'yes', 'me@example.org', '50%', 'a,b,c', '1/2'],
  ],
  [/libraryId/i, ['/vercel/next.js', '/facebook/react']],
  [/languages?|libraryName|image$|^type$|contentType/i, ['en', 'nginx:1.27', 'text/html', 'react']],
];

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

/** Arguments for a tool by its schema: all required members, and half of the others. */
export function ordinaryArguments(schema: JsonObject, random: Random): Ordinary {
  const writer = new Writer(schema, random);
  const args = writer.value(schema, '', 0);
  return { args: isJsonObject(args) ? args : {}, hasFile: writer.hasFile };
}

const DEEPEST = 4;
const SHARE = 0.5;

class Writer {
  hasFile = false;
  readonly #root: JsonObject;
  readonly #random: Random;

  constructor(root: JsonObject, random: Random) {
    this.#root = root;
    this.#random = random;
  }

  value(schema: Json | undefined, name: string, depth: number): Json | undefined {
    if (!isJsonObject(schema)) return this.#text({}, name);
    const { enum: values, const: only, $ref: reference } = schema;
    if (typeof reference === 'string') return this.value(this.#referred(reference), name, depth + 1);
    if (only !== undefined) return only;
    if (isJsonArray(values) && values.length > 0) return pick(this.#random, values);
    const branches = ['anyOf', 'oneOf', 'allOf'].map((word) => schema[word]).find(isJsonArray);
    if (branches === undefined || schema['properties'] !== undefined) return this.#ofType(schema, name, depth);
    const others = branches.filter((branch) => !isNull(branch));
    return this.value(pick(this.#random, others), name, depth + 1);
  }

  #ofType(schema: JsonObject, name: string, depth: number): Json {
    const { type, default: usual, minimum } = schema;
    switch (isJsonArray(type) ? type.find((one) => one !== 'null') : type) {
      case 'boolean':
        return this.#random() < SHARE;
      case 'integer':
      case 'number':
        return typeof usual === 'number' ? usual : Math.max(Number(minimum ?? 1), 1);
      case 'array':
        return depth > DEEPEST ? [] : this.#list(schema, name, depth);
      case 'object':
        return this.#object(schema, depth);
      case undefined:
        return isJsonObject(schema['properties']) ? this.#object(schema, depth) : this.#text(schema, name);
      default:
        return this.#text(schema, name);
    }
  }

  #list(schema: JsonObject, name: string, depth: number): Json {
    const length = 1 + Math.floor(this.#random() * 2);
    return Array.from({ length }, () => this.value(schema['items'], name, depth + 1)).filter(
      (item) => item !== undefined,
    );
  }

  #object(schema: JsonObject, depth: number): JsonObject {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = isJsonArray(schema['required']) ? schema['required'] : [];
    const args: Record<string, Json> = {};
    for (const [name, member] of Object.entries(properties)) {
      if (!required.includes(name) && (depth > DEEPEST || this.#random() < SHARE)) continue;
      const value = this.value(member, name, depth + 1);
      if (value !== undefined) args[name] = value;
    }
    return args;
  }

  #text({ format, pattern, default: usual }: JsonObject, name: string): string {
    if (typeof usual === 'string' && usual !== '' && this.#random() < SHARE) return usual;
    if (format === 'uuid') return '3f2b8a1c-5d4e-4f6a-9b8c-7d6e5f4a3b2c';
    if (format === 'date-time') return '2026-03-01T12:00:00Z';
    if (format === 'date') return '2026-03-01';
    if (format === 'uri') return pick(this.#random, URLS);
    if (format === 'email') return 'me@example.org';
    const known = BY_NAME.find(([names]) => names.test(name))?.[1] ?? WORDS;
    const fitting = typeof pattern === 'string' ? known.filter((text) => fits(text, pattern)) : known;
    const text = pick(this.#random, fitting.length > 0 ? fitting : WORDS);
    if (PATHS.includes(text)) this.hasFile = true;
    return text;
  }

  #referred(reference: string): Json | undefined {
    let at: Json | undefined = this.#root;
    for (const part of reference.split('/').slice(1)) at = isJsonObject(at) ? at[part] : undefined;
    return at;
  }
}

function isNull(schema: Json): boolean {
  return isJsonObject(schema) && schema['type'] === 'null';
}

function fits(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return true;
  }
}
