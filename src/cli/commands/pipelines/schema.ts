// `renderline schema`: prints the JSON schema with which editors complete and check pipeline files and test files.
import type { Command } from '@commander-js/extra-typings';
import { pipelineSchema, schemaText } from '../../../compile/schema.ts';
import { testSchema } from '../../../compile/test-file/test-schema.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import type { Session } from '../../session.ts';

export function declareSchema(command: Command, session: Session): void {
  command.option('--tests', 'print the schema of test files').action(
    session.action(async ({ tests }) => {
      await session.usePlugins();
      const jsonSchema = tests ? testSchema() : pipelineSchema();
      session.output.result({ schema: 'renderline/schema/v1', jsonSchema }, () =>
        schemaText(jsonSchema).trimEnd(),
      );
      return exitCode.done;
    }),
  );
}
