import type { SchemaChecker } from '../../core/index.ts';

/** The schema checker, loaded with the first schema that needs it. */
export function lateSchemaChecker(workerPath: string): SchemaChecker {
  let loading: Promise<SchemaChecker> | undefined;
  const load = async (): Promise<SchemaChecker> => {
    const { createSchemaChecker } = await import('./schemaChecker.ts');
    return createSchemaChecker({ workerPath });
  };
  return {
    check: async (schema, value, token) => (await (loading ??= load())).check(schema, value, token),
  };
}
