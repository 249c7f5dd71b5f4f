/**
 * The client under test for the official suite: `<node> test/conformance/client.ts <url of the server>`. It is a normal
 * host with one server in its settings, and a user who agrees to everything.
 */
import { createNodeHost } from '../../src/cli/nodeHost.ts';
import { type Host, isJsonObject, type JsonObject, messageOf, parseJson } from '../../src/core/index.ts';
import { authBrowser, authPrompt, elicitor, sampler } from './person.ts';
import { entryFor } from './settings.ts';
import {
  call,
  callEveryTool,
  callsOfContext,
  echoSchema,
  getEveryPrompt,
  inTurn,
  readEveryResource,
  type Step,
  type Subject,
} from './steps.ts';

const SERVER = 'subject';

const justList: Step = () => Promise.resolve();

/** The steps after the tools are listed, by scenario. Default: call the tool of the suite's OAuth servers. */
const steps: Readonly<Record<string, Step>> = {
  initialize: justList,
  'request-metadata': justList,
  'json-schema-ref-no-deref': justList,
  tools_call: call('add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': call('test_client_elicitation_defaults'),
  'sse-retry': call('test_reconnection'),
  'sep-2322-client-request-state': async (subject) => {
    for (const tool of [
      'test_mrtr_echo_state',
      'test_mrtr_unrelated',
      'test_mrtr_no_state',
      'test_mrtr_no_result_type',
    ])
      await subject.call(tool, {});
  },
  'http-standard-headers': inTurn(call('test_headers'), readEveryResource, getEveryPrompt),
  'http-custom-headers': callsOfContext,
  'http-invalid-tool-headers': callEveryTool,
  'json-schema-2020-12-preservation': echoSchema,
};

const contextOf = (text: string | undefined): JsonObject => {
  const parsed = text === undefined ? {} : parseJson(text);
  return isJsonObject(parsed) ? parsed : {};
};

const subjectOf = (host: Host, context: JsonObject): Subject => {
  const tools = () => (host.server(SERVER)?.tools ?? []).map(({ tool }) => tool);
  return {
    context,
    call: (tool, args) => host.callTool({ server: SERVER, tool, args, route: 'api' }),
    tools: () => tools().map(({ name }) => name),
    readResources: async () => {
      for (const { uri } of host.server(SERVER)?.resources ?? []) await host.readResource(SERVER, uri);
    },
    getPrompts: async () => {
      for (const { name } of host.server(SERVER)?.prompts ?? []) await host.getPrompt(SERVER, name, {});
    },
    schema: (wanted) => tools().find(({ name }) => name === wanted)?.inputSchema ?? {},
  };
};

const run = async (url: string): Promise<void> => {
  const { env } = process;
  const scenario = env['MCP_CONFORMANCE_SCENARIO'] ?? '';
  const context = contextOf(env['MCP_CONFORMANCE_CONTEXT']);
  const entry = entryFor(scenario, env['MCP_CONFORMANCE_PROTOCOL_VERSION'] ?? '', url, context);
  const host = createNodeHost({
    servers: { [SERVER]: entry },
    folders: [import.meta.dirname],
    elicitor,
    sampler,
    authPrompt,
    authBrowser,
    onLog: ({ level, message }) => process.stderr.write(`${level} ${message}\n`),
  });
  try {
    for (const { message } of host.problems()) process.stderr.write(`setting: ${message}\n`);
    await host.start(SERVER);
    await host.refresh(SERVER);
    await (steps[scenario] ?? call('test-tool'))(subjectOf(host, context));
  } finally {
    await host.close();
  }
};

// The suite gives up after 30 s, but ends only the shell around this process.
setTimeout(() => {
  process.stderr.write('The scenario did not come to its end.\n');
  process.exit(2);
}, 25_000).unref();

try {
  await run(process.argv[2] ?? '');
} catch (error) {
  process.stderr.write(`${messageOf(error)}\n`);
  process.exitCode = 1;
}
