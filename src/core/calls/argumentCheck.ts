import { CancellationSource } from '../base/cancellation.ts';
import type { Clock } from '../base/clock.ts';
import { HostError } from '../base/errors.ts';
import { isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/json.ts';
import { type CompiledSchema, compileSchema, plainProblems } from '../form/plainSchema.ts';
import type { SchemaChecker, SchemaVerdict } from '../inputPorts.ts';
import type { Tool } from '../model/catalog.ts';
import type { ResultView } from '../model/content.ts';
import type { CallContext, CallStep, ToolConcern } from './callSteps.ts';

export interface ArgumentCheckOptions {
  readonly clock: Clock;
  readonly checker: SchemaChecker;
  /** A tool's schema is unusable. Called once per definition. */
  onSchemaFault(server: string, tool: Tool, why: string): void;
}

/** A call waits this long for its check and is then sent unchecked. */
const PATIENCE_MS = 2_000;

/**
 * Validates the arguments of a call against the tool's input schema before sending. An unusable schema does not block
 * calls, because the server validates too.
 */
export function argumentCheck(options: ArgumentCheckOptions): ToolConcern {
  const schemas = new WeakMap<JsonObject, CompiledSchema>();
  /** Unusable schemas. */
  const faults = new WeakSet<JsonObject>();
  const compiled = (schema: JsonObject): CompiledSchema => {
    const known = schemas.get(schema) ?? compileSchema(schema);
    schemas.set(schema, known);
    return known;
  };
  return {
    forTool: (_, tool, server) => {
      if (tool === undefined || server.definition?.validatesArguments === false) return undefined;
      const schema = compiled(tool.inputSchema);
      if (schema.kind === 'any') return undefined;
      const fault = (why: string): void => {
        if (faults.has(tool.inputSchema)) return;
        faults.add(tool.inputSchema);
        options.onSchemaFault(server.id, tool, why);
      };
      return {
        intercept: (context, next) => {
          const { request } = context;
          // The user saw the errors and wants to send anyway.
          if (request.unchecked === true && request.route === 'command') return next(context);
          if (schema.kind === 'plain') {
            const problems = plainProblems(schema.node, request.args);
            if (problems?.length === 0) return next(context);
            if (problems !== undefined) {
              const given = withoutNulls(request.args);
              if (given !== undefined && plainProblems(schema.node, given)?.length === 0) return next(context);
              throw misfit(context, problems);
            }
          }
          if (faults.has(tool.inputSchema)) return next(context);
          if (schema.kind === 'fault') {
            fault(schema.why);
            return next(context);
          }
          return checkedInThread(options, tool.inputSchema, context, next, fault);
        },
      };
    },
  };
}

async function checkedInThread(
  { clock, checker }: ArgumentCheckOptions,
  schema: JsonObject,
  context: CallContext,
  next: CallStep,
  fault: (why: string) => void,
): Promise<ResultView> {
  const patience = new CancellationSource();
  const timer = clock.delay(PATIENCE_MS, () => patience.cancel());
  const cancels = context.token?.onCancellationRequested(() => patience.cancel());
  let verdict: SchemaVerdict;
  try {
    const { args } = context.request;
    verdict = await checker.check(schema, args, patience.token);
    const given = verdict.kind === 'mismatch' ? withoutNulls(args) : undefined;
    if (given !== undefined && (await checker.check(schema, given, patience.token)).kind === 'ok')
      verdict = { kind: 'ok' };
  } finally {
    timer.dispose();
    cancels?.dispose();
    patience.dispose();
  }
  if (verdict.kind === 'mismatch') throw misfit(context, verdict.problems);
  if (verdict.kind === 'undecided' && verdict.isSchemaFault === true) fault(verdict.why);
  return next(context);
}

/**
 * The arguments without null members. `undefined` if there are no such members. Models and clients write null for
 * omitted values; the server gets the original arguments.
 */
function withoutNulls(args: JsonObject): JsonObject | undefined {
  let found = false;
  const given = (value: Json): Json => {
    if (isJsonArray(value)) return value.map(given);
    if (!isJsonObject(value)) return value;
    const members = Object.entries(value).filter(([, member]) => member !== null);
    found ||= members.length < Object.keys(value).length;
    return Object.fromEntries(members.map(([name, member]) => [name, given(member ?? null)]));
  };
  const result = given(args);
  return found && isJsonObject(result) ? result : undefined;
}

function misfit({ request }: CallContext, problems: readonly string[]): HostError {
  const message = `The arguments do not fit the tool "${request.tool}": ${problems.join(' ')}`;
  return new HostError('INVALID_ARGUMENTS', message, {
    layer: 'policy',
    effect: 'none',
    suggestion: 'Correct them, then call the tool again. Nothing was sent to the server.',
    data: { problems },
  });
}
