import { createPipelineSchema, createSharedSchema, testSchema } from '../../compile/schema.ts';
import type { App } from '../app.ts';

/** Returns the JSON schema of pipeline files, of test files or of shared parts, with the plugins of the project. */
export async function readSchema(
  app: App,
  { tests, shared }: { tests?: boolean | undefined; shared?: boolean | undefined },
) {
  await app.usePlugins();
  const createSchema = tests ? testSchema : shared ? createSharedSchema : createPipelineSchema;
  return { schema: 'renderline/schema/v1' as const, jsonSchema: createSchema() };
}
