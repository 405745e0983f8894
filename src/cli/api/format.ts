// Formats lists of operations, requests and responses of the platform.
import { families } from '../../api/operation-families.ts';
import type { OperationResult, RequestPreview } from '../../app/platform/call-operation.ts';
import type { OperationsList } from '../../app/platform/list-operations.ts';
import type { Paint } from '../color.ts';
import { terminalSafeJson } from '../terminal-text.ts';

/** The operations by family, each with its path and summary. */
export function formatOperations({ operations }: OperationsList, paint: Paint): string {
  const width = Math.max(0, ...operations.map(({ id }) => id.length));
  const groups = families.flatMap(({ section, title }) => {
    const own = operations.filter((one) => one.section === section);
    const lines = own.flatMap((one) => {
      const path =
        one.route ?? '(path not in the API reference; taken from the live OpenAPI document)';
      const tool = one.tool === null ? '' : `  tool ${one.tool}`;
      const end = one.deprecated ? '  deprecated' : '';
      return [
        `${one.id.padEnd(width)}  ${paint('dim', `${path}${tool}${end}`)}`,
        `${' '.repeat(width)}  ${one.summary}`,
      ];
    });
    return lines.length === 0 ? [] : [[paint('bold', `${title} (${section})`), ...lines]];
  });
  return groups.map((lines) => lines.join('\n')).join('\n\n');
}

export function formatRequest({ route, query, body }: RequestPreview): string {
  return [
    route,
    ...(Object.keys(query).length > 0 ? [`query  ${terminalSafeJson(query)}`] : []),
    ...(body === undefined ? [] : [terminalSafeJson(body, 2)]),
    'Nothing was sent.',
  ].join('\n');
}

/** Formats the response, or the name and size of the file that was written. */
export function formatOperationResult(done: OperationResult): string {
  if ('file' in done) return `${done.file} (${done.bytes} bytes)`;
  return 'result' in done ? terminalSafeJson(done.result, 2) : '';
}
