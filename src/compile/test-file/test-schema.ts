// The JSON Schema with which editors complete and check test files, generated from the zod schemas.
import { cleanSchema } from '../schema.ts';
import { type AnnotatedSchema, jsonSchemaOf } from '../yaml/annotations.ts';
import { TestFile } from './test-file.ts';

/** The schema of a test file, draft-07. It accepts every file that `test` accepts. */
export function testSchema(): AnnotatedSchema {
  const { $schema: _draft, ...schema } = cleanSchema(jsonSchemaOf(TestFile));
  return { $schema: 'http://json-schema.org/draft-07/schema#', ...schema };
}
