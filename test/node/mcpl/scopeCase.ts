/**
 * Scopes with real files: a host with an open folder, called `/ws` in every text here, and a folder next to it, called
 * `/out`. The set `files` of the scripted servers is scoped to `/ws`. A simulated user answers questions.
 *
 *     scopeCases('the lists', (open) => {
 *       test('…', async () => {
 *         const opened = await open({ files: { 'src/a.ts': 'text', '../out/x': '', link: { to: '/etc' } } });
 *         assert.equal(await opened.elevate('/ws/src/a.ts'), '{"approved":true}');
 *       });
 *     });
 *
 * `person` has the answers to the next questions, in order. Without one, a question stays open for `answer`.
 */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  type ApprovalChoice,
  isHostError,
  type Json,
  type JsonObject,
  type PendingApproval,
} from '../../../src/core/index.ts';
import type { NodeHostOptions } from '../../../src/cli/nodeHost.ts';
import { ID, type McplCase, mcplCases, type McplCaseOptions, type McplScript, type Over, tool } from './mcplCase.ts';

export type Answer = ApprovalChoice | 'dismiss';

/** Relative to the open folder: a text, or a link. */
export type Files = Readonly<Record<string, string | { readonly to: string }>>;

export const LISTS = { whitelist: ['/ws/**'], blacklist: ['**/.env', '**/secrets/**'] };
export const FILES_SET = { description: 'Edits files.', uses: ['tools'], scoped: true };
export const WRITE = tool('write', {
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, text: { type: 'string' } } },
  _meta: { featureSet: 'files' },
});

export interface ScopeCaseOptions extends Omit<McplCaseOptions, 'server' | 'servers'> {
  readonly files?: Files;
  /** Members over those of a server with one scoped set. `/ws` and `/out` in its entry stand for the folders. */
  readonly server?: McplScript;
  readonly servers?: Readonly<Record<string, McplScript>>;
  /** Whether the host stores its data in a file, like an editor. */
  readonly isStored?: boolean;
}

/** A server with one enabled, scoped set with lists, and one tool that belongs to it. */
export function scoped(script: McplScript = {}): McplScript {
  const { entry, answers, ...rest } = script;
  return {
    sets: { files: FILES_SET },
    tools: [WRITE],
    answers: { 'tools/call': () => ({ content: [{ type: 'text', text: 'Done.' }] }), ...answers },
    ...rest,
    entry: { featureSets: { enabled: ['files'] }, scopes: { files: LISTS }, ...entry },
  };
}

/** The folders of one test. */
export class ScopeFolders {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpl-scopes-')));
  readonly ws = join(this.#root, 'ws');
  readonly out = join(this.#root, 'out');
  readonly storageFile = join(this.#root, 'mcpl.sqlite');

  constructor(files: Files = {}) {
    for (const folder of [this.ws, this.out]) mkdirSync(folder);
    for (const [path, what] of Object.entries(files)) {
      const whole = join(this.ws, path);
      mkdirSync(dirname(whole), { recursive: true });
      if (typeof what === 'string') writeFileSync(whole, what);
      else symlinkSync(this.real(what.to), whole);
    }
  }

  /** Replaces `/ws` and `/out` by the folders of this test. */
  real(text: string): string {
    return text.replace(/(?<!\.)\/(ws|out)(?![\w-])/g, (_, name: string) => (name === 'ws' ? this.ws : this.out));
  }

  realIn<T extends Json>(value: T): T {
    // The type stays the same.
    return JSON.parse(this.real(JSON.stringify(value))) as T;
  }

  /** Replaces the folders of this test by `/ws` and `/out`. */
  shown(text: string): string {
    return text.replaceAll(this.ws, '/ws').replaceAll(this.out, '/out');
  }

  /** Changes the target of a link. */
  relink(path: string, to: string): void {
    unlinkSync(join(this.ws, path));
    symlinkSync(this.real(to), join(this.ws, path));
  }

  remove(): void {
    rmSync(this.#root, { recursive: true, force: true });
  }
}

export class ScopeCase {
  readonly mcpl: McplCase;
  readonly folders: ScopeFolders;
  /** Each question as a line. */
  readonly asked: string[] = [];
  readonly questions: PendingApproval[] = [];
  /** The end of each question as a line. */
  readonly settled: string[] = [];
  readonly person: Answer[] = [];

  constructor(mcpl: McplCase, folders: ScopeFolders) {
    this.mcpl = mcpl;
    this.folders = folders;
    this.#listen();
  }

  /** The next host with the same files, servers and settings. */
  async reopen(): Promise<void> {
    await this.mcpl.reopen();
    this.#listen();
    await this.mcpl.startAll();
  }

  #listen(): void {
    const { approvals } = this.mcpl.host;
    approvals.onDidAsk((approval) => {
      this.questions.push(approval);
      this.asked.push(this.#line(approval));
      const choice = this.person.shift();
      if (choice !== undefined) queueMicrotask(() => void approvals.answer(approval.id, choice));
    });
    approvals.onDidSettle(({ approval, outcome }) => {
      const how = outcome.kind === 'approved' ? outcome.choice : outcome.why;
      this.settled.push(`${this.#line(approval)}: ${how}`);
    });
  }

  /** Sends a scope request. Returns the answer as JSON, or as `error <code> …`. */
  async elevate(label: string, payload?: JsonObject, { id = ID, featureSet = 'files' } = {}): Promise<string> {
    const scope = this.folders.realIn(payload === undefined ? { label } : { label, payload });
    return this.folders.shown(await this.mcpl.answerTo('scope/elevate', { featureSet, scope }, id));
  }

  /** Calls a tool. Returns its text, or `<code> <message> <suggestion>`. */
  async call(args: JsonObject, { name = 'write', id = ID } = {}): Promise<string> {
    try {
      const { modelText } = await this.mcpl.call(name, this.folders.realIn(args), undefined, id);
      return this.folders.shown(modelText);
    } catch (error) {
      if (!isHostError(error)) throw error;
      return this.folders.shown([error.code, error.message, error.suggestion].join(' '));
    }
  }

  /** The params of each sent call, without the progress token. */
  async sent(id = ID): Promise<readonly string[]> {
    await this.mcpl.life(id).caughtUp();
    return this.mcpl
      .life(id)
      .sent('tools/call')
      .map(({ params }) => {
        const { _meta, ...rest } = params as JsonObject;
        return this.folders.shown(JSON.stringify(rest));
      });
  }

  /** Answers the newest question that is open. */
  async answer(choice: Answer): Promise<void> {
    const last = this.mcpl.host.approvals.pending().at(-1);
    assert.ok(last !== undefined, 'Nobody is asked.');
    assert.ok(await this.mcpl.host.approvals.answer(last.id, choice));
  }

  /** Waits for this many questions from the beginning. */
  untilAsked(count: number): Promise<void> {
    return this.mcpl.until(`question ${count}; asked:\n${this.asked.join('\n')}`, () => this.asked.length >= count);
  }

  /** Changes the settings file. */
  configure(change: JsonObject, id = ID): void {
    this.mcpl.configure(this.folders.realIn(change), id);
  }

  /** Decisions, and remembered or revoked grants, oldest first. */
  async decisions(): Promise<readonly string[]> {
    const lines = await this.mcpl.audit('scope/decision', 'approval/granted', 'approval/revoked', 'approval/expired');
    return lines.map((line) => this.folders.shown(line));
  }

  /** `server set action target,target lifetime`, newest first. */
  remembered(): readonly string[] {
    return this.mcpl.host.approvals
      .remembered()
      .map(({ server, featureSet, action, targets, lifetime }) =>
        this.folders.shown([server, featureSet, action, targets.join(), lifetime].join(' ')),
      );
  }

  #line({ server, featureSet, subject }: PendingApproval): string {
    const { action, why, label, targets } = subject;
    const what =
      action.kind === 'elevate'
        ? ['elevate', ...(action.mode === undefined ? [] : [action.mode])].join(' ')
        : `call ${action.tool}`;
    const quoted = label === undefined ? '' : ` “${label}”`;
    const places = targets.map(
      ({ from, real, inside }) =>
        `${from} ${real}${inside === undefined ? '' : ` (${inside.path} of ${inside.folder})`}`,
    );
    return this.folders.shown(`${server} ${featureSet ?? '-'} ${what} ${why}${quoted}: ${places.join(', ')}`);
  }
}

/** The user allows servers to run in the workspace. */
const ALLOWED: NodeHostOptions['onStartQuestion'] = () => Promise.resolve('start');

type Open = (options?: ScopeCaseOptions) => Promise<ScopeCase>;

export function scopeCases(name: string, define: (open: Open, over: Over) => void): void {
  mcplCases(`scopes, ${name}`, (openCase, over) => {
    const folders: ScopeFolders[] = [];
    // Runs when the hosts are closed.
    teardown(() => {
      for (const one of folders.splice(0)) one.remove();
    });
    define(async ({ files, server, servers, host, isStored = false, ...options } = {}) => {
      const place = new ScopeFolders(files);
      folders.push(place);
      const scripts = servers ?? { [ID]: server ?? {} };
      const whole = Object.fromEntries(
        Object.entries(scripts).map(([id, script]) => {
          const { entry = {}, ...rest } = scoped(script);
          return [id, { ...rest, entry: { cwd: place.ws, ...place.realIn(entry) } }];
        }),
      );
      const mcpl = await openCase({
        ...options,
        servers: whole,
        host: {
          folders: [place.ws],
          onStartQuestion: ALLOWED,
          ...(isStored && { storageFile: place.storageFile }),
          ...host,
        },
      });
      return new ScopeCase(mcpl, place);
    }, over);
  });
}
