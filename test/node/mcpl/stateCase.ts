/**
 * States with a real store: a host with a SQLite file in a separate folder, and a scripted server. Its set `book` has
 * state, and its tool `edit` belongs to the set.
 *
 *     stateCases('host-kept', (open) => {
 *       test('…', async () => {
 *         const opened = await open();
 *         assert.equal(await opened.edit({ checkpoint: 'a', parent: null, data: { notes: [] } }), 'kept a');
 *         assert.deepEqual(await opened.tree(), ['a data head']);
 *       });
 *     });
 *
 * `edit` makes a call that the server answers with this `state`. `rollback` answers rollback requests. Results: `sent()`
 * (members of calls), `tree()` (the lineage, oldest first), `stateAt('a')`, `troubles`, `asked` (rollback requests).
 */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  annotationTexts,
  type Checkpoint,
  checkpointName,
  isHostError,
  type Json,
  type JsonObject,
  keptState,
  type KeptState,
  type LineageWindow,
  type RollbackOptions,
  type RollbackResult,
  type ToolCallRequest,
} from '../../../src/core/index.ts';
import {
  failWith,
  ID,
  type McplCase,
  mcplCases,
  type McplCaseOptions,
  type McplScript,
  type Over,
  tool,
} from './mcplCase.ts';

export const BOOK = 'book';

/** The server's answer to a rollback request. */
type GoesBack = (params: JsonObject) => ReturnType<typeof failWith> | Json | Promise<Json>;

export interface StateCaseOptions extends Omit<McplCaseOptions, 'server' | 'servers'> {
  /** Members of the set `book`, over those of a set whose state the host keeps and that supports rollback. */
  readonly book?: JsonObject;
  /** Members over those of a server with that set enabled. */
  readonly server?: McplScript;
}

export class StateCase {
  readonly mcpl: McplCase;
  /** `checkpoint or -: problem`, as reported to the user. */
  readonly troubles: string[] = [];
  rollback: GoesBack = ({ checkpoint = null }) => ({ checkpoint, success: true });
  /** The states of the next results, by the tool's argument `n`. */
  readonly #states: Json[];

  constructor(mcpl: McplCase, states: Json[]) {
    this.mcpl = mcpl;
    this.#states = states;
    this.#listen();
  }

  get lineages(): McplCase['host']['lineages'] {
    return this.mcpl.host.lineages;
  }

  /** The next host with the same file, servers and settings. */
  async reopen(): Promise<void> {
    await this.mcpl.reopen();
    this.#listen();
    await this.mcpl.startAll();
  }

  /**
   * A call that the server answers with this state. Returns the result, such as `kept a`, or `<code> <message>
   * <suggestion>`.
   */
  async edit(state: Json | undefined, request: Partial<ToolCallRequest> = {}): Promise<string> {
    const { text } = await this.call(state, request);
    return text;
  }

  async call(
    state: Json | undefined,
    request: Partial<ToolCallRequest> = {},
  ): Promise<{ readonly text: string; readonly remarks: readonly string[] }> {
    const n = this.#states.push(state ?? null) - 1;
    const whole = { server: ID, tool: 'edit', args: { n }, route: 'api', ...request } as const;
    try {
      const result = await this.mcpl.host.callTool(whole);
      return { text: keptLine(keptState(result)), remarks: annotationTexts(result, 'user') };
    } catch (error) {
      return { text: errorLine(error), remarks: [] };
    }
  }

  /** The members of each sent call besides `name` and `arguments`, as JSON. */
  async sent(id = ID): Promise<readonly string[]> {
    await this.mcpl.life(id).caughtUp();
    return this.mcpl
      .life(id)
      .sent('tools/call')
      .map(({ params }) => {
        const { name: _, arguments: __, _meta: ___, ...rest } = params as JsonObject;
        return JSON.stringify(rest);
      });
  }

  /** The params of each rollback request, as JSON. */
  async asked(id = ID): Promise<readonly string[]> {
    await this.mcpl.life(id).caughtUp();
    return this.mcpl
      .life(id)
      .sent('state/rollback')
      .map(({ params }) => JSON.stringify(params));
  }

  window(featureSet = BOOK): Promise<LineageWindow> {
    const filter = { text: '', only: 'all' } as const;
    return this.lineages.window({ server: ID, featureSet, filter, from: 0, count: 1_000 });
  }

  /** `name < parent (link) form mark…`, oldest first. */
  async tree(featureSet = BOOK): Promise<readonly string[]> {
    const { rows } = await this.window(featureSet);
    const names = new Map(rows.map(({ node }) => [node.place, checkpointName(node)]));
    return rows.toReversed().map(({ node, isHead, isOnLine, conversations }) => {
      const { parent, link } = node;
      const from = parent === undefined ? '' : ` < ${names.get(parent) ?? '?'}${link === 'named' ? '' : ` (${link})`}`;
      const marks = [
        ...(node.problem === undefined ? [] : ['broken']),
        ...(node.isPruned ? ['pruned'] : []),
        ...(isHead ? ['head'] : isOnLine ? [] : ['aside']),
        ...(conversations === 0 ? [] : [`conversations ${conversations}`]),
      ];
      return [`${checkpointName(node)}${from} ${node.form}`, ...marks].join(' ');
    });
  }

  /** Waits until the list contains that head. Returns `server set: keeper, count, head`. */
  async summaries(head: string): Promise<readonly string[]> {
    await this.lineages.loaded();
    const heads = (): readonly string[] => this.lineages.list().map((each) => each.head?.checkpoint ?? '-');
    await this.mcpl.until(`the head ${head}`, () => heads().includes(head));
    return this.lineages.list().map(({ server, featureSet, keeper, count }, at) => {
      return `${server} ${featureSet}: ${keeper}, ${count}, head ${heads()[at] ?? ''}`;
    });
  }

  async find(name: string, featureSet = BOOK): Promise<Checkpoint> {
    const { rows } = await this.window(featureSet);
    const row = rows.find(({ node }) => checkpointName(node) === name);
    assert.ok(row !== undefined, `There is no checkpoint ${name}.`);
    return row.node;
  }

  async stateAt(name: string, featureSet = BOOK): Promise<string | undefined> {
    return this.lineages.state((await this.find(name, featureSet)).place, 'compact');
  }

  /** Rolls back. Returns the result as a line. */
  async goBack(name: string, options: RollbackOptions = {}): Promise<string> {
    const { place } = await this.find(name);
    try {
      return rollbackLine(await this.lineages.rollBack(place, options));
    } catch (error) {
      return errorLine(error);
    }
  }

  /** Continues from there without the server. */
  async continueFrom(name: string, conversation?: string): Promise<string> {
    const { place } = await this.find(name);
    try {
      await this.lineages.continueFrom(place, conversation);
      return 'continued';
    } catch (error) {
      return errorLine(error);
    }
  }

  #listen(): void {
    this.lineages.onDidBreak(({ featureSet, place, tool: by, problem }) => {
      const which = place === undefined ? 'not stored' : 'stored';
      this.troubles.push(`${featureSet} ${by ?? '-'} ${which}: ${problem}`);
    });
  }
}

function keptLine(kept: KeptState | undefined): string {
  if (kept === undefined) return 'no state';
  const what = `${kept.kind} ${kept.checkpoint ?? '-'}`;
  return 'problem' in kept ? `${what}: ${kept.problem}` : what;
}

function rollbackLine(result: RollbackResult): string {
  switch (result.kind) {
    case 'rolledBack':
      return `rolledBack ${checkpointName(result.head)}`;
    case 'elsewhere':
      return `elsewhere ${checkpointName(result.head)}, asked for ${checkpointName(result.asked)}`;
    case 'pruned':
      return `pruned${result.canContinue ? ', can continue' : ''}`;
    case 'refused':
    case 'unanswered':
      return `${result.kind}${result.canContinue ? ', can continue' : ''}: ${result.reason}`;
  }
}

function errorLine(error: unknown): string {
  if (!isHostError(error)) throw error;
  return [error.code, error.message, error.suggestion].filter((part) => part !== undefined).join(' ');
}

type Open = (options?: StateCaseOptions) => Promise<StateCase>;

export function stateCases(name: string, define: (open: Open, over: Over) => void): void {
  mcplCases(`states, ${name}`, (openCase, over) => {
    const folders: string[] = [];
    // Runs when the hosts are closed.
    teardown(() => {
      for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
    });
    define(async ({ book, server = {}, host, ...options } = {}) => {
      const folder = mkdtempSync(join(tmpdir(), 'mcpl-states-'));
      folders.push(folder);
      const states: Json[] = [];
      // The server gets requests only after the case exists.
      const holder: { case?: StateCase } = {};
      const { entry, answers, ...rest } = server;
      const mcpl = await openCase({
        ...options,
        server: {
          sets: {
            [BOOK]: { description: 'Writes a book.', uses: ['tools'], rollback: true, hostState: true, ...book },
          },
          tools: [tool('edit', { _meta: { featureSet: BOOK } })],
          ...rest,
          entry: { featureSets: { enabled: ['*'] }, ...entry },
          answers: {
            'tools/call': ({ params }) => editResult(params, states),
            'state/rollback': ({ params }) => holder.case?.rollback(params) ?? failWith(-32601, 'Too early.'),
            ...answers,
          },
        },
        host: { storageFile: join(folder, 'mcpl.sqlite'), ...host },
      });
      return (holder.case = new StateCase(mcpl, states));
    }, over);
  });
}

function editResult({ arguments: args }: JsonObject, states: readonly Json[]): JsonObject {
  const state = states[Number((args as JsonObject)['n'])] ?? null;
  return { content: [{ type: 'text', text: 'Done.' }], ...(state === null ? {} : { state }) };
}
