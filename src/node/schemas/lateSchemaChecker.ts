import { asyncLazy, type SchemaChecker } from '../../core/index.ts';

/** The schema checker, loaded with the first schema that needs it. */
export function lateSchemaChecker(workerPath: string): SchemaChecker {
  const checker = asyncLazy(
    () => import('./schemaChecker.ts'),
    ({ createSchemaChecker }) => createSchemaChecker({ workerPath }),
  );
  return {
    check: async (schema, value, token) => (await checker.get()).check(schema, value, token),
  };
}
