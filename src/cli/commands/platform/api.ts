// `renderline api`: calls any operation of the platform by its id.

import type { Command } from '@commander-js/extra-typings';
import { operationFamilies } from '../../../api/operation-families.ts';
import { toTerminalSafeJson } from '../../../api/responses/plain-text.ts';
import {
  callOperation,
  type OperationResult,
  previewRequest,
  type RequestPreview,
} from '../../../app/platform/call-operation.ts';
import {
  listOperations,
  type OperationsList,
  requireOperation,
} from '../../../app/platform/list-operations.ts';
import { usageError } from '../../../app/renderline-error.ts';
import { formatOperationHelp } from '../../api/help.ts';
import { readInput } from '../../api/input.ts';
import type { Paint } from '../../color.ts';
import { reword, sharedOptions } from '../../options.ts';
import { collectOption } from '../../params.ts';
import type { Session } from '../../session.ts';

export function declareApi(command: Command, session: Session): void {
  command
    .argument('[operation]', 'operation id, as `--list` shows it')
    .option('--list', 'list the operations')
    .option(
      '--params <name=value>',
      'path parameter of the operation (repeatable); in other commands, --param sets a pipeline parameter',
      collectOption,
    )
    .option('--query <name=value>', 'query field (repeatable)', collectOption)
    .option('--body <json>', 'JSON body, @file, or - for standard input')
    .option('--all', 'fetch all pages; one item per line')
    .option('--output <file>', 'write the response, or the downloaded file, to this file')
    .option(...reword(sharedOptions.dryRun, 'only show the request'))
    .option('--idempotency-key <key>', 'Idempotency-Key of a POST')
    // Commander's built-in help cannot show the help of an operation.
    .helpOption(false)
    .option('-h, --help', 'show this help, or the help of the operation')
    .action(
      session.action(async (operation, flags) => {
        const { output } = session;
        if (flags.help && operation === undefined) return command.outputHelp();
        if (flags.list) {
          const list = listOperations(operation);
          return output.result(list, () => formatOperations(list, output.paint));
        }
        if (operation === undefined) {
          const fix = 'List the operations: renderline api --list';
          throw usageError('No operation was specified.', fix);
        }
        const row = requireOperation(operation);
        if (flags.help) return output.help(formatOperationHelp(row));
        const input = await readInput(row, flags, session.io);
        if (flags.dryRun) {
          const preview = previewRequest(session, row, input);
          return output.result(preview, () => formatRequest(preview));
        }
        // Items are printed as they arrive, one per line, unless they go into a file or one JSON object.
        const isStreaming = flags.all && flags.output === undefined && !output.json;
        const result = await callOperation(session, row, input, {
          ...flags,
          onItem: isStreaming ? (item) => output.raw(toTerminalSafeJson(item)) : undefined,
        });
        if (!isStreaming) output.result(result, () => formatOperationResult(result));
      }),
    );
}

function formatOperations({ operations }: OperationsList, paint: Paint): string {
  const width = Math.max(0, ...operations.map(({ id }) => id.length));
  const groups = operationFamilies.flatMap(({ section, title }) => {
    const members = operations.filter((operation) => operation.section === section);
    const lines = members.flatMap((operation) => {
      const path =
        operation.route ?? '(path not in the API reference; taken from the live OpenAPI document)';
      const tool = operation.tool === null ? '' : `  tool ${operation.tool}`;
      const deprecatedNote = operation.deprecated ? '  deprecated' : '';
      return [
        `${operation.id.padEnd(width)}  ${paint('dim', `${path}${tool}${deprecatedNote}`)}`,
        `${' '.repeat(width)}  ${operation.summary}`,
      ];
    });
    return lines.length === 0 ? [] : [[paint('bold', `${title} (${section})`), ...lines]];
  });
  return groups.map((lines) => lines.join('\n')).join('\n\n');
}

function formatRequest({ route, query, body }: RequestPreview): string {
  return [
    route,
    ...(Object.keys(query).length > 0 ? [`query  ${toTerminalSafeJson(query)}`] : []),
    ...(body === undefined ? [] : [toTerminalSafeJson(body, 2)]),
    'Nothing was sent.',
  ].join('\n');
}

function formatOperationResult(result: OperationResult): string {
  if ('file' in result) return `${result.file} (${result.bytes} bytes)`;
  return 'result' in result ? toTerminalSafeJson(result.result, 2) : '';
}
