// `renderline api`: calls any operation of the platform by its id.
import { resolve } from 'node:path';
import type { Command } from '@commander-js/extra-typings';
import { callOperation, previewRequest } from '../../../app/platform/call-operation.ts';
import { findOperation, listOperations } from '../../../app/platform/list-operations.ts';
import { RenderlineError } from '../../../app/renderline-error.ts';
import { commandFailures } from '../../../failures/commands.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatOperationResult, formatOperations, formatRequest } from '../../api/format.ts';
import { operationHelp } from '../../api/help.ts';
import { type ApiFlags, readInput } from '../../api/input.ts';
import { ensureFolderOf } from '../../ensure-folder.ts';
import { collectOption } from '../../params.ts';
import type { Session } from '../../session.ts';
import { terminalSafeJson } from '../../terminal-text.ts';

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
  const { output } = session;
  if (flags.list) {
    const listed = listOperations(operation);
    return output.result(listed, () => formatOperations(listed, output.paint));
  }
  if (operation === undefined) {
    throw new RenderlineError(commandFailures.USAGE, 'No operation is given.', {
      fix: 'List the operations: renderline api --list',
    });
  }
  const row = findOperation(operation);
  if (flags.help) return output.raw(operationHelp(row));
  const input = await readInput(row, flags, session.io);
  if (flags.dryRun) {
    const preview = previewRequest(session, row, input);
    return output.result(preview, () => formatRequest(preview));
  }
  // A response that cannot be written would be lost, and may have cost money.
  if (flags.output !== undefined) await ensureFolderOf(resolve(session.io.cwd, flags.output));
  // Items are printed as they arrive, one per line, unless they belong into one JSON object.
  const isStreaming = flags.all && flags.output === undefined && !output.json;
  const done = await callOperation(session, row, input, {
    ...flags,
    onItem: isStreaming ? (item) => output.raw(terminalSafeJson(item)) : undefined,
  });
  if (!isStreaming) output.result(done, () => formatOperationResult(done));
}
