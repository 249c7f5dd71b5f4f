import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../src/core/index.ts';

export interface Call {
  readonly tool: string;
  readonly args: (workspace: string) => JsonObject;
  /** A pattern for the text of its result. */
  readonly expect: RegExp;
}

export interface RemoteStart {
  readonly transport: 'http' | 'sse';
  /** Path within the package. */
  readonly script: string;
  readonly args: (port: number) => readonly string[];
  readonly path: string;
}

export interface PublishedServer {
  /** Name of the package in node_modules. */
  readonly name: string;
  readonly script: string;
  readonly args?: (workspace: string) => readonly string[];
  readonly env?: (workspace: string) => Readonly<Record<string, string>>;
  readonly remote?: readonly RemoteStart[];
  /** A tool that works without network and browser, if there is one. */
  readonly call?: Call;
  /** Prepares its workspace. */
  readonly prepare?: (workspace: string) => void;
  /** Tried in every test run, because it is one of the project's own dependencies. */
  readonly isQuick?: true;
}

const none = (): readonly string[] => [];
const noArgs = (): JsonObject => ({});

const index = 'dist/index.js';

const everythingCall: Call = { tool: 'echo', args: () => ({ message: 'hello' }), expect: /hello/ };
const add: Call = { tool: 'add', args: () => ({ a: 2, b: 40 }), expect: /42/ };

const sse = (script: string): RemoteStart => ({ transport: 'sse', script, args: none, path: '/sse' });
const streamable = (script: string, args: (port: number) => readonly string[] = none): RemoteStart => ({
  transport: 'http',
  script,
  args,
  path: '/mcp',
});

const everything = (name: string, remote: readonly RemoteStart[], call: Call): PublishedServer => ({
  name,
  script: index,
  remote,
  call,
});

const oneScript: readonly RemoteStart[] = [
  { ...streamable(index), args: () => ['streamableHttp'] },
  { ...sse(index), args: () => ['sse'] },
];

const lintFolder = (workspace: string): void => {
  mkdirSync(join(workspace, 'code'), { recursive: true });
  writeFileSync(join(workspace, 'code/eslint.config.js'), "export default [{ rules: { 'no-var': 'error' } }];\n");
  writeFileSync(join(workspace, 'code/package.json'), '{ "type": "module" }\n');
  writeFileSync(join(workspace, 'code/a.js'), 'var a = 1;\nexport { a };\n');
};

// Binds only to this machine, whatever host name it is reached by.
const playwrightArgs = (port: number): readonly string[] => [
  '--headless',
  ...['--host', '127.0.0.1', '--port', String(port), '--allowed-hosts', '*'],
];

/** Published servers that work offline. Their versions are in package.json next to this file. */
export const servers: readonly PublishedServer[] = [
  { ...everything('@modelcontextprotocol/server-everything', oneScript, everythingCall), isQuick: true },
  { ...everything('server-everything-0.6.2', [sse('dist/sse.js')], add), isQuick: true },
  everything('server-everything-2025.3.19', [sse('dist/sse.js')], add),
  everything('server-everything-2025.7.1', oneScript, add),
  everything('server-everything-2025.11.25', oneScript, add),
  everything('server-everything-2026.1.26', oneScript, everythingCall),
  {
    name: '@modelcontextprotocol/server-filesystem',
    script: index,
    args: (workspace) => [workspace],
    call: { tool: 'list_allowed_directories', args: noArgs, expect: /mcpl-interop/ },
    isQuick: true,
  },
  {
    name: '@modelcontextprotocol/server-memory',
    script: index,
    env: (workspace) => ({ MEMORY_FILE_PATH: join(workspace, 'memory.jsonl') }),
    call: { tool: 'read_graph', args: noArgs, expect: /entities/ },
    isQuick: true,
  },
  {
    name: '@modelcontextprotocol/server-sequential-thinking',
    script: index,
    call: {
      tool: 'sequentialthinking',
      args: () => ({ thought: 'One.', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
      expect: /thoughtNumber/,
    },
  },
  {
    name: '@playwright/mcp',
    script: 'cli.js',
    args: () => ['--headless'],
    remote: [
      { ...streamable('cli.js'), args: playwrightArgs },
      { ...sse('cli.js'), args: playwrightArgs },
    ],
    call: { tool: 'browser_close', args: noArgs, expect: /./ },
  },
  {
    name: '@upstash/context7-mcp',
    script: index,
    remote: [{ ...streamable(index), args: (port) => ['--transport', 'http', '--port', String(port)] }],
  },
  {
    name: '@modelcontextprotocol/server-map',
    script: index,
    args: () => ['--stdio'],
    remote: [streamable(index)],
    call: {
      tool: 'show-map',
      args: () => ({ west: 8, south: 47, east: 9, north: 48 }),
      expect: /globe/,
    },
  },
  {
    name: '@modelcontextprotocol/server-basic-vanillajs',
    script: index,
    args: () => ['--stdio'],
    remote: [streamable(index)],
    call: { tool: 'get-time', args: noArgs, expect: /\d\d:\d\d/ },
  },
  {
    name: '@modelcontextprotocol/server-pdf',
    script: index,
    args: () => ['--stdio'],
    remote: [streamable(index)],
    call: { tool: 'list_pdfs', args: noArgs, expect: /pdf/i },
  },
  {
    name: 'chrome-devtools-mcp',
    script: 'build/src/bin/chrome-devtools-mcp.js',
    args: () => ['--headless', '--no-usage-statistics'],
  },
  {
    name: '@eslint/mcp',
    script: 'src/mcp-cli.js',
    prepare: lintFolder,
    call: {
      tool: 'lint-files',
      args: (workspace) => ({ filePaths: [join(workspace, 'code/a.js')] }),
      expect: /no-var/,
    },
  },
];
