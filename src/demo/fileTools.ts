import { type CallScope, lineOf } from './callScope.ts';
import { FILES_EDIT } from './demoFeatureSets.ts';
import type { Elevation } from './elevation.ts';
import { type FileAccess, type Mode, MODES } from './fileAccess.ts';
import { appendLine, MAX_READ, moveFile, readText } from './fileWork.ts';
import { FileProblem } from './realPath.ts';
import { closed, type Fields, type Schema } from './schema.ts';
import { ADDS, type DemoTool, READS, type ToolContext, type ToolOutcome } from './tool.ts';

interface Needs {
  readonly access: FileAccess;
  readonly elevation: Pick<Elevation, 'run'>;
}

const MAX_PATH = 4_096;
const MAX_LINE = 2_000;
const REFUSED = 'Where the host refuses, tell the person what was needed and why, and try no other way.';

const PATH: Schema = {
  type: 'string',
  title: 'Path',
  description: 'Absolute, or from the folder that the server was started in.',
  minLength: 1,
  maxLength: MAX_PATH,
};

const SHOW_SCOPE: Schema = {
  type: 'boolean',
  title: 'Show Scope',
  description: 'Whether the result says which scope the host sent with the call.',
  default: false,
};

/** Tools on real files. They only touch paths that the host approved. */
export function fileTools({ access, elevation }: Needs): readonly DemoTool[] {
  return [readTool(access), appendTool(access), moveTool(access), requestAccess(elevation)];
}

function readTool(access: FileAccess): DemoTool {
  return {
    name: 'read_text',
    title: 'Read Text',
    description: `Reads a text file, up to ${MAX_READ} bytes of it. ${REFUSED}`,
    featureSet: FILES_EDIT,
    annotations: READS,
    inputSchema: closed({ path: PATH, showScope: SHOW_SCOPE }, 'path'),
    run: (args, context) =>
      work(access, 'read', [args['path']], args, context, async ([path = '']) => {
        const { text, bytes, isCut } = await readText(path);
        return isCut ? `${text}\n(The first ${MAX_READ} of ${bytes} bytes.)` : text;
      }),
  };
}

function appendTool(access: FileAccess): DemoTool {
  return {
    name: 'append_line',
    title: 'Append Line',
    description: `Adds a line to the end of a text file; the file begins with it where there is none. ${REFUSED}`,
    featureSet: FILES_EDIT,
    annotations: ADDS,
    inputSchema: closed(
      {
        path: PATH,
        line: { type: 'string', title: 'Line', description: 'Without a line break.', maxLength: MAX_LINE },
        showScope: SHOW_SCOPE,
      },
      'path',
      'line',
    ),
    run: (args, context) => {
      const line = String(args['line']);
      if (/[\r\n\0]/.test(line)) return { text: 'line must be one line. Call once for each.', isError: true };
      return work(access, 'append', [args['path']], args, context, async ([path = '']) => {
        await appendLine(path, line);
        return `Appended a line to ${path}`;
      });
    },
  };
}

function moveTool(access: FileAccess): DemoTool {
  return {
    name: 'move_file',
    title: 'Move File',
    description: `Moves a file, never over another one. Both paths have to be approved. ${REFUSED}`,
    featureSet: FILES_EDIT,
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    inputSchema: closed(
      { from: { ...PATH, title: 'From' }, to: { ...PATH, title: 'To' }, showScope: SHOW_SCOPE },
      'from',
      'to',
    ),
    run: (args, context) =>
      work(access, 'move', [args['from'], args['to']], args, context, async ([from = '', to = '']) => {
        await moveFile(from, to);
        return `Moved ${from} to ${to}`;
      }),
  };
}

function requestAccess(elevation: Pick<Elevation, 'run'>): DemoTool {
  return {
    name: 'request_access',
    title: 'Request Access',
    description: `Asks the host to approve one use of a file, and says what it answered. Touches nothing. ${REFUSED}`,
    featureSet: FILES_EDIT,
    annotations: READS,
    inputSchema: closed(
      {
        path: PATH,
        mode: { type: 'string', title: 'Mode', enum: MODES, default: 'read' },
        label: {
          type: 'string',
          title: 'Label',
          description: 'What the host is told that it is about. The path, where nothing else is said.',
          maxLength: MAX_PATH + 1,
        },
      },
      'path',
    ),
    run: ({ path, mode, label }, context) => {
      const wanted = String(path);
      const chosen = MODES.find((each) => each === mode) ?? 'read';
      return elevation.run({ label: typeof label === 'string' ? label : wanted, path: wanted, mode: chosen }, context);
    },
  };
}

async function work(
  access: FileAccess,
  mode: Mode,
  paths: readonly unknown[],
  { showScope }: Fields,
  { scope }: ToolContext,
  run: (targets: readonly string[]) => Promise<string>,
): Promise<ToolOutcome> {
  const shown = (text: string): string => (showScope === true ? `${text}\n${lineOf(scope)}` : text);
  try {
    const targets = await access.open(paths.map(String), mode, scope);
    return { text: shown(await run(targets)), structured: { targets, ...scopeIn(scope) } };
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error;
    return { text: shown(error.message), isError: true };
  }
}

function scopeIn(scope: CallScope | undefined): Fields {
  return scope === undefined ? {} : { scope };
}
