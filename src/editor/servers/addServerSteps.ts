import type { ShellStyle } from './shellCommand.ts';
import type { Answer, Choice, StepNumber, WizardUi } from '../shared/wizardSteps.ts';
import { type EntryKind, idProblem, readEntry, type ServerEntry, suggestId } from './serverEntry.ts';

export type EntryTarget = 'workspace' | 'user';

/** The result of the wizard. */
export interface NewServer {
  readonly id: string;
  readonly entry: ServerEntry;
  readonly target: EntryTarget;
  readonly start: boolean;
}

interface WizardContext {
  readonly taken: ReadonlySet<string>;
  /** Whether workspace settings can be written. */
  readonly hasWorkspace: boolean;
  readonly style: ShellStyle;
}

/** The answers so far, which going back shows again. */
interface Draft {
  kind?: EntryKind;
  text?: string;
  id?: string;
  suggested?: string;
  target?: EntryTarget;
  start?: boolean;
}

type Step = (at: StepNumber) => Promise<'next' | 'back' | 'cancel'>;

/** Asks for everything that a new server needs. Writes nothing, so cancelling has no effect. */
export async function askForServer(ui: WizardUi, context: WizardContext): Promise<NewServer | undefined> {
  const draft: Draft = {};
  const steps: readonly Step[] = [
    (at) => askKind(ui, at, draft),
    (at) => askWhere(ui, at, draft, context),
    (at) => askId(ui, at, draft, context),
    ...(context.hasWorkspace ? [(at: StepNumber) => askTarget(ui, at, draft)] : []),
    (at) => askStart(ui, at, draft),
  ];
  let current = 0;
  for (;;) {
    const step = steps[current];
    if (step === undefined) break;
    const turn = await step({ step: current + 1, steps: steps.length });
    if (turn === 'cancel' || (turn === 'back' && current === 0)) return undefined;
    current += turn === 'next' ? 1 : -1;
  }
  const entry = entryOf(draft, context);
  if (entry === undefined || draft.id === undefined) return undefined;
  return { id: draft.id, entry, target: draft.target ?? 'user', start: draft.start === true };
}

function taken<T>(answer: Answer<T>, keep: (value: T) => void): 'next' | 'back' | 'cancel' {
  if (answer.kind === 'next') keep(answer.value);
  return answer.kind;
}

const KINDS: readonly Choice<EntryKind>[] = [
  {
    label: 'Command',
    detail: 'A program on this machine that talks over its standard input and output',
    icon: 'terminal',
    value: 'command',
  },
  { label: 'URL', detail: 'A server that is reached over HTTP or WebSocket', icon: 'globe', value: 'url' },
  { label: 'npm Package', detail: 'A package that npx downloads and runs', icon: 'package', value: 'npm' },
];

async function askKind(ui: WizardUi, at: StepNumber, draft: Draft): Promise<'next' | 'back' | 'cancel'> {
  const placeholder = 'What kind of server do you want to add?';
  const answer = await ui.pick({ ...at, placeholder, choices: KINDS, chosen: draft.kind });
  return taken(answer, (kind) => {
    // Text of one kind is invalid for another.
    if (kind !== draft.kind) delete draft.text;
    draft.kind = kind;
  });
}

const PROMPTS = {
  command: {
    prompt: 'The command that starts the server, with its arguments. ${workspaceFolder} and ${input:id} can be used.',
    placeholder: 'node "${workspaceFolder}/server.js" --verbose',
  },
  url: { prompt: 'The address of the server.', placeholder: 'https://example.com/mcp' },
  npm: {
    prompt: 'The name of the package, with arguments for the server where it needs some.',
    placeholder: '@modelcontextprotocol/server-memory',
  },
} as const;

async function askWhere(
  ui: WizardUi,
  at: StepNumber,
  draft: Draft,
  { style, taken: ids }: WizardContext,
): Promise<'next' | 'back' | 'cancel'> {
  const { kind = 'command' } = draft;
  const problem = (text: string): string | undefined => {
    const read = readEntry(kind, text, style);
    return read.kind === 'wrong' ? read.problem : undefined;
  };
  const answer = await ui.input({ ...at, ...PROMPTS[kind], value: draft.text ?? '', problem });
  return taken(answer, (text) => {
    draft.text = text;
    const read = readEntry(kind, text, style);
    const suggested = read.kind === 'entry' ? suggestId(read.entry, ids) : '';
    // Keeps a name that the user chose, and updates a suggested one.
    if (draft.id === undefined || draft.id === draft.suggested) draft.id = suggested;
    draft.suggested = suggested;
  });
}

async function askId(
  ui: WizardUi,
  at: StepNumber,
  draft: Draft,
  { taken: ids }: WizardContext,
): Promise<'next' | 'back' | 'cancel'> {
  const prompt = 'A name for the server. Settings, logs and models use it.';
  const problem = (text: string): string | undefined => idProblem(text.trim(), ids);
  const answer = await ui.input({ ...at, prompt, placeholder: 'files', value: draft.id ?? '', problem });
  return taken(answer, (id) => {
    draft.id = id.trim();
  });
}

const TARGETS: readonly Choice<EntryTarget>[] = [
  {
    label: 'This Workspace',
    detail: 'Written into the workspace settings, which can be shared with the folder',
    icon: 'root-folder',
    value: 'workspace',
  },
  {
    label: 'All Workspaces',
    detail: 'Written into your user settings; each workspace switches the server on for itself',
    icon: 'account',
    value: 'user',
  },
];

async function askTarget(ui: WizardUi, at: StepNumber, draft: Draft): Promise<'next' | 'back' | 'cancel'> {
  const placeholder = 'Where should the server be available?';
  const answer = await ui.pick({ ...at, placeholder, choices: TARGETS, chosen: draft.target });
  return taken(answer, (target) => {
    draft.target = target;
  });
}

async function askStart(ui: WizardUi, at: StepNumber, draft: Draft): Promise<'next' | 'back' | 'cancel'> {
  const choices: readonly Choice<boolean>[] = [
    { label: 'Enable and Start Now', detail: 'It runs whenever this workspace is open', icon: 'play', value: true },
    { label: 'Only Add It', detail: 'It stays off until you enable it', icon: 'circle-slash', value: false },
  ];
  const placeholder = `Should ${draft.id ?? 'it'} start?`;
  const answer = await ui.pick({ ...at, placeholder, choices, chosen: draft.start });
  return taken(answer, (start) => {
    draft.start = start;
  });
}

function entryOf({ kind, text }: Draft, { style }: WizardContext): ServerEntry | undefined {
  if (kind === undefined || text === undefined) return undefined;
  const read = readEntry(kind, text, style);
  return read.kind === 'entry' ? read.entry : undefined;
}
