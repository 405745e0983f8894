// `renderline api`: any operation of the platform, by its id.
import type { Command } from '@commander-js/extra-typings';
import type { OperationRow } from '../../api/operation.ts';
import { inputOf } from '../api-input.ts';
import { CliError, exitCode } from '../exit.ts';
import { gather } from '../params.ts';
import { withPlatform } from '../platform-client.ts';
import type { Session } from '../session.ts';

export function addApi(program: Command, session: Session): void {
  program
    .command('api')
    .description('call any operation of the platform API')
    .argument('[operation]', 'operation id, as `--list` shows it')
    .option('--list', 'list the operations')
    .option('--params <name=value>', 'path parameter (repeatable)', gather)
    .option('--query <name=value>', 'query field (repeatable)', gather)
    .option('--body <json>', 'JSON body, @file, or - for standard input')
    .option('--idempotency-key <key>', 'Idempotency-Key of a POST')
    .action(
      session.action(async (operation, options) => {
        const { operations } = await import('../../api/operations/index.ts');
        const rows: Readonly<Record<string, OperationRow>> = operations;
        if (options.list || operation === undefined) return list(session, rows, operation, options);
        const row = rows[operation] ?? (await unknownOperation(operation, rows));
        const input = await inputOf(row, options, session.io);
        const result = await withPlatform(session, (client) =>
          client.call(operation, input, {
            priority: 'interactive',
            idempotencyKey: options.idempotencyKey,
            maxWaitMs: 60_000,
          }),
        );
        session.output.answer({ schema: 'renderline/api/v1', operation, result }, () =>
          JSON.stringify(result, null, 2),
        );
        return exitCode.done;
      }),
    );
}

function list(
  session: Session,
  rows: Readonly<Record<string, OperationRow>>,
  operation: string | undefined,
  options: { list?: true | undefined },
): number {
  if (!options.list) {
    throw new CliError(
      exitCode.usage,
      'USAGE',
      'Which operation?',
      'See what there is: renderline api --list',
    );
  }
  const chosen = Object.values(rows).filter(
    ({ id }) => operation === undefined || id === operation,
  );
  const { paint } = session.output;
  const width = Math.max(0, ...chosen.map(({ id }) => id.length));
  const shape = {
    schema: 'renderline/operations/v1',
    operations: chosen.map(({ id, route, summary, section, keyed, query }) => ({
      id,
      route,
      summary,
      section,
      query: Object.keys(query?.shape ?? {}),
      keyed,
    })),
  };
  session.output.answer(shape, () =>
    chosen
      .map(({ id, route, summary }) => {
        const path = paint(
          'dim',
          route ?? '(path not in the reference: from the live description)',
        );
        return `${id.padEnd(width)}  ${path}\n${' '.repeat(width)}  ${summary}`;
      })
      .join('\n'),
  );
  return exitCode.done;
}

async function unknownOperation(name: string, rows: object): Promise<never> {
  const { nearest } = await import('../../api/nearest-name.ts');
  const near = nearest(name, Object.keys(rows));
  throw new CliError(
    exitCode.usage,
    'UNKNOWN_OPERATION',
    `There is no operation "${name}".${near === null ? '' : ` Did you mean "${near}"?`}`,
    'See what there is: renderline api --list',
  );
}
