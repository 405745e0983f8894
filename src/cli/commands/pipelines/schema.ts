// `renderline schema`: prints the JSON schema with which editors complete and check pipeline, test and shared files.
import { type Command, Option } from '@commander-js/extra-typings';
import { readSchema } from '../../../app/validate/read-schema.ts';
import { formatSchema } from '../../../compile/schema.ts';
import type { Session } from '../../session.ts';

export function declareSchema(command: Command, session: Session): void {
  command
    .option('--tests', 'print the schema of test files')
    .addOption(new Option('--shared', 'print the schema of shared parts').conflicts('tests'))
    .action(
      session.action(async (options) => {
        const shape = await readSchema(session, options);
        session.output.result(shape, () => formatSchema(shape.jsonSchema).trimEnd());
      }),
    );
}
