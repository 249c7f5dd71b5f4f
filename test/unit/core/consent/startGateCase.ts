import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { CancellationSource } from '../../../../src/core/base/cancellation.ts';
import { isHostError } from '../../../../src/core/base/errors.ts';
import { type AdmittedStart, StartGate } from '../../../../src/core/consent/startGate.ts';
import type { LineageSummary } from '../../../../src/core/model/lineage.ts';
import type { ServerDefinition } from '../../../../src/core/model/server.ts';
import type { Consent, InputAnswer, StartAnswer, StartQuestion } from '../../../../src/core/ports.ts';
import { decodeSettings } from '../../../../src/core/session/serverSettings.ts';
import { FakeClock } from '../../../support/fakeClock.ts';
import { type FakeFiles, fakeFiles } from '../../../support/fakeFiles.ts';

/** The start gate with a user and everything that it reads. */
export class GateCase {
  readonly consents = new Map<string, Consent>();
  readonly questions: StartQuestion[] = [];
  /** The gate's reads of the store, the disk and the environment, in order. */
  readonly lookups: string[] = [];
  readonly reads: string[] = [];
  readonly envReads: string[] = [];
  /** How often the gate announced a question. */
  announced = 0;
  lineages: readonly LineageSummary[] = [];
  answer: StartAnswer | Promise<StartAnswer> = 'start';
  folders: readonly { readonly name: string; readonly path: string }[] = [{ name: 'project', path: '/project' }];
  readonly env: Record<string, string> = {};
  readonly files: Record<string, string> = {};
  readonly inputs: Record<string, InputAnswer> = {};
  fileNames: FakeFiles = fakeFiles({});
  readonly gate: StartGate;

  constructor() {
    const found = (): readonly Consent[] => [...this.consents.values()];
    const folders = (): GateCase['folders'] => this.folders;
    const fileNames = (): FakeFiles => this.fileNames;
    this.gate = new StartGate({
      clock: new FakeClock(),
      ids: {
        uuid: () => 'id',
        random: () => 0.5,
        sha256: (text) => createHash('sha256').update(text).digest('hex'),
      },
      consents: {
        find: (server, fingerprint) => {
          this.lookups.push('find');
          return Promise.resolve(this.consents.get(`${server} ${fingerprint}`));
        },
        save: (consent) => {
          this.lookups.push('save');
          this.consents.set(`${consent.server} ${consent.fingerprint}`, consent);
          return Promise.resolve();
        },
        list: () => {
          this.lookups.push('list');
          return Promise.resolve(found());
        },
        forget: (server) => {
          for (const [key, consent] of this.consents) if (consent.server === server) this.consents.delete(key);
          return Promise.resolve();
        },
      },
      states: { lineages: () => Promise.resolve(this.lineages) },
      prompt: {
        ask: (question) => {
          this.questions.push(question);
          return Promise.resolve(this.answer);
        },
      },
      variables: {
        get folders() {
          return folders();
        },
        userHome: '/home/me',
        env: (name) => {
          this.envReads.push(name);
          return this.env[name];
        },
        input: (id) => Promise.resolve(this.inputs[id] ?? { kind: 'undeclared' }),
        readFile: (path) => {
          this.reads.push(path);
          const text = this.files[path];
          return text === undefined ? Promise.reject(new Error('no such file')) : Promise.resolve(text);
        },
      },
      get fileNames() {
        return fileNames();
      },
    });
  }

  get grants(): readonly Consent['grants'][] {
    return [...this.consents.values()].map((consent) => consent.grants);
  }

  get reasons(): string {
    return this.questions.map(({ reason, remarks }) => `${reason}: ${remarks.join(' ')}`).join('\n');
  }

  admit(definition: ServerDefinition, source = new CancellationSource()): Promise<AdmittedStart> {
    return this.gate.admit(definition, source.token, () => this.announced++);
  }

  async start(definition: ServerDefinition): Promise<Consent | undefined> {
    const { consent } = await this.admit(definition);
    return consent;
  }

  /** The questions of one start, and `starts` or the code of the error. */
  async outcome(definition: ServerDefinition): Promise<string> {
    const before = this.questions.length;
    const end = await this.start(definition).then(
      () => 'starts',
      (error: unknown) => (isHostError(error) ? error.code : String(error)),
    );
    return [...this.questions.slice(before).map(({ reason }) => reason), end].join(', ');
  }
}

/** The server `a` with these entries in user and workspace settings. */
export function definitionOf(own: object | undefined, workspace: object | undefined): ServerDefinition {
  const json = (value: object) => JSON.parse(JSON.stringify({ a: value })) as { readonly [id: string]: string };
  const layers = [
    { scope: 'user', servers: own && json(own) },
    { scope: 'workspace', servers: workspace && json(workspace) },
  ] as const;
  const definition = decodeSettings(layers).entries[0]?.definition;
  assert.ok(definition !== undefined);
  return definition;
}
