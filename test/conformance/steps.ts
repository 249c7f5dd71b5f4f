import type { Json, JsonObject, ResultView } from '../../src/core/index.ts';
import { isJsonArray, isJsonObject } from '../../src/core/index.ts';

/** The server of a scenario, as a user would use it. */
export interface Subject {
  readonly context: JsonObject;
  call(tool: string, args: JsonObject): Promise<ResultView>;
  /** The names of the tools that the host shows. */
  tools(): readonly string[];
  /** Reads each resource that the host shows. */
  readResources(): Promise<void>;
  getPrompts(): Promise<void>;
  /** The schema of a tool's arguments as the host shows it. */
  schema(tool: string): JsonObject;
}

export type Step = (subject: Subject) => Promise<unknown>;

export const call =
  (tool: string, args: JsonObject = {}): Step =>
  (subject) =>
    subject.call(tool, args);

export const inTurn =
  (...steps: readonly Step[]): Step =>
  async (subject) => {
    for (const step of steps) await step(subject);
  };

export const readEveryResource: Step = (subject) => subject.readResources();

export const getEveryPrompt: Step = (subject) => subject.getPrompts();

const toolCalls = (value: Json | undefined): readonly { readonly name: string; readonly args: JsonObject }[] =>
  (isJsonArray(value) ? value : []).flatMap((entry) => {
    const { name, arguments: args } = isJsonObject(entry) ? entry : {};
    return typeof name === 'string' && isJsonObject(args) ? [{ name, args }] : [];
  });

/** The calls that the scenario requests, with their values. */
export const callsOfContext: Step = async (subject) => {
  for (const { name, args } of toolCalls(subject.context['toolCalls'])) await subject.call(name, args);
};

/** Calls every offered tool. The host omits tools that it must refuse. */
export const callEveryTool: Step = async (subject) => {
  for (const tool of subject.tools()) await subject.call(tool, { region: 'eu', value: 'a', query: 'b' });
};

/** Sends a tool's schema back to the server, as the host shows it. */
export const echoSchema: Step = (subject) =>
  subject.call('json_schema_echo', { schema: subject.schema('json_schema_2020_12_tool') });
