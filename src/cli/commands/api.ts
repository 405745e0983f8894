// `renderline api`: calls any operation of the platform by its id.
import type { Command } from '@commander-js/extra-typings';
import type { DynamicInput } from '../../api/client.ts';
import type { OperationRow } from '../../api/contract/operation.ts';
import { operations } from '../../api/operations/index.ts';
import { callOperation } from '../../app/platform/call.ts';
import { listOperations, throwUnknownOperation } from '../../app/platform/list.ts';
import { withPlatform } from '../../app/platform-client.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { operationHelp } from '../api/help.ts';
import { type ApiFlags, readInput } from '../api/input.ts';
import { unknownFields } from '../api/unknown-fields.ts';
import { collectOption } from '../params.ts';
import type { Session } from '../session.ts';
import { terminalSafeJson } from '../terminal-text.ts';

interface Flags extends ApiFlags {
  help?: true | undefined;
  list?: true | undefined;
  all?: true | undefined;
  dryRun?: true | undefined;
  output?: string | undefined;
  idempotencyKey?: string | undefined;
}

export function declareApi(command: Command, session: Session): void {
  command
    .argument('[operation]', 'operation id, as `--list` shows it')
    .option('--list', 'list the operations')
    .option('--params <name=value>', 'path parameter (repeatable)', collectOption)
    .option('--query <name=value>', 'query field (repeatable)', collectOption)
    .option('--body <json>', 'JSON body, @file, or - for standard input; --json BODY is the same')
    .option('--all', 'all pages of a list, one item per line')
    .option('--output <file>', 'write the response, or the downloaded file, to this file')
    .option('--dry-run', 'only show the request')
    .option('--idempotency-key <key>', 'Idempotency-Key of a POST')
    // Commander's built-in help cannot show the help of an operation.
    .helpOption(false)
    .option('-h, --help', 'show this help, or the help of the operation')
    .action(
      session.action(async (operation, flags: Flags) => {
        if (flags.help && operation === undefined) command.outputHelp();
        else await runApi(operation, flags, session);
        return exitCode.done;
      }),
    );
}

async function runApi(
  operation: string | undefined,
  flags: Flags,
  session: Session,
): Promise<void> {
  const rows: Readonly<Record<string, OperationRow>> = operations;
  if (flags.list) return listOperations(session, Object.values(rows), operation);
  if (operation === undefined) {
    throw new RenderlineError(commandFailures.USAGE, 'No operation is given.', {
      fix: 'List the operations: renderline api --list',
    });
  }
  const row = Object.hasOwn(rows, operation) ? rows[operation] : undefined;
  if (row === undefined) return throwUnknownOperation(operation, Object.keys(rows));
  if (flags.help) {
    return session.output.raw(operationHelp(row));
  }
  const input = await readInput(row, flags, session.io);
  for (const remark of unknownFields(row, input)) session.output.note(remark);
  if (flags.dryRun) return showRequest(session, row, input);
  await withPlatform(session, (client) =>
    callOperation(client, row, input, { flags, app: session }),
  );
}

/** Shows the request without contacting the platform. */
function showRequest({ output }: Session, row: OperationRow, input: DynamicInput): void {
  const { params = {}, query = {}, body } = input;
  const route = Object.entries(params).reduce(
    (text, [name, value]) => text.replace(`{${name}}`, encodeURIComponent(String(value))),
    row.route ?? '(path taken from the live OpenAPI document)',
  );
  const shape = { schema: 'renderline/api/v1', operation: row.id, dryRun: true, route };
  const fields = Object.keys(query).length > 0 ? [`query  ${terminalSafeJson(query)}`] : [];
  output.result({ ...shape, query, ...(body === undefined ? {} : { body }) }, () =>
    [
      route,
      ...fields,
      ...(body === undefined ? [] : [terminalSafeJson(body, 2)]),
      'Nothing was sent.',
    ].join('\n'),
  );
}
