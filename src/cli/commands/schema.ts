// `renderline schema`: the JSON schema by which editors complete and check pipeline files.
import type { Command } from '@commander-js/extra-typings';
import { pipelineSchema, pipelineSchemaText } from '../../compile/schema.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Session } from '../session.ts';

export function declareSchema(command: Command, session: Session): void {
  command.action(
    session.action(async () => {
      await session.usePlugins();
      session.output.answer({ schema: 'renderline/schema/v1', jsonSchema: pipelineSchema() }, () =>
        pipelineSchemaText().trimEnd(),
      );
      return exitCode.done;
    }),
  );
}
