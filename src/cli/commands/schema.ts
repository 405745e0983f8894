// `renderline schema`: what editors complete and check pipeline files by.
import type { Command } from '@commander-js/extra-typings';
import { exitCode } from '../../failures/exit-code.ts';
import type { Session } from '../session.ts';

export function addSchema(program: Command, session: Session): void {
  program
    .command('schema')
    .description('print the JSON schema that editors check pipeline files by')
    .action(
      session.action(async () => {
        const { pipelineSchema, pipelineSchemaText } = await import('../../compile/schema.ts');
        session.output.answer(
          { schema: 'renderline/schema/v1', jsonSchema: pipelineSchema() },
          () => pipelineSchemaText().trimEnd(),
        );
        return exitCode.done;
      }),
    );
}
