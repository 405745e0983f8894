// `renderline schema`: the JSON schema by which editors complete and check pipeline files and their tests.
import type { Command } from '@commander-js/extra-typings';
import { pipelineSchema, schemaText } from '../../compile/schema.ts';
import { testSchema } from '../../compile/test-file/test-schema.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Session } from '../session.ts';

export function declareSchema(command: Command, session: Session): void {
  command.option('--tests', 'that of test files').action(
    session.action(async ({ tests }) => {
      await session.usePlugins();
      const jsonSchema = tests ? testSchema() : pipelineSchema();
      session.output.answer({ schema: 'renderline/schema/v1', jsonSchema }, () =>
        schemaText(jsonSchema).trimEnd(),
      );
      return exitCode.done;
    }),
  );
}
