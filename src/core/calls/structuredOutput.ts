import { NO_CANCELLATION } from '../base/cancellation.ts';
import type { JsonObject } from '../base/json.ts';
import type { InputPorts, SchemaChecker } from '../inputPorts.ts';
import type { ResultView } from '../model/content.ts';
import { type CallContext, type CallInterceptor, toolNamed } from './callSteps.ts';
import { AnnotatedResult } from './annotatedResult.ts';

/**
 * MCP 2025-06-18 "Output schema": clients should validate results. A mismatch only adds remarks, because the work is
 * done and the result is often usable. Tools without a schema are not affected.
 */
export function structuredOutput(ports: Pick<InputPorts, 'schemaChecker'>): CallInterceptor {
  return {
    concerns: (_, tool) => tool?.outputSchema !== undefined,
    intercept: (context, next) => {
      const schema = toolNamed(context.server, context.request.tool)?.tool.outputSchema;
      if (schema === undefined) return next(context);
      return next(context).then((result) => checked(result, schema, ports.schemaChecker, context));
    },
  };
}

async function checked(
  result: ResultView,
  schema: JsonObject,
  checker: SchemaChecker,
  context: CallContext,
): Promise<ResultView> {
  const { structured, isError } = result;
  // A failed tool explains the error in text. The schema describes successful results.
  if (isError) return result;
  if (structured === undefined)
    return withProblems(result, ['The tool gave no structured content, which it had announced.']);
  const verdict = await checker.check(schema, structured, context.token ?? NO_CANCELLATION);
  switch (verdict.kind) {
    case 'ok':
    case 'undecided':
      return result;
    case 'mismatch':
      return withProblems(
        result,
        verdict.problems.map((problem) => `Not as the tool had announced: ${problem}`),
      );
  }
}

function withProblems(result: ResultView, problems: readonly string[]): ResultView {
  return new AnnotatedResult(
    result,
    problems.map((text) => ({ source: 'host', kind: 'outputSchema', text })),
  );
}
