// Formats the help of one operation from its contract row, with input, response and errors.

import type { OperationRow } from '../../api/contract/operation.ts';
import { familyOf } from '../../api/operation-families.ts';
import { pageParamsIn } from '../../api/pages.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import { pathFieldsOf, schemaFieldsOf } from './operation-fields.ts';
import { formatFieldLines } from './schema-fields.ts';

/** Formats the help as plain text. */
export function formatOperationHelp(row: OperationRow): string {
  const path = pathFieldsOf(row);
  const usage = [
    `renderline api ${row.id}`,
    ...(path.required ?? []).map((name) => `--params ${name}=…`),
    ...(row.body === undefined ? [] : ['--body JSON']),
  ];
  return [
    `Usage: ${usage.join(' ')}`,
    row.summary,
    formatFacts(row),
    formatSection('Path parameters, each as --params NAME=VALUE', formatFieldLines(path)),
    formatSection('Query fields, each as --query NAME=VALUE', formatFields(row.query, 'input')),
    formatSection('Body', formatFields(row.body, 'input')),
    row.response === 'redirect'
      ? 'Returns the address of the file; --output FILE saves the file itself.'
      : formatSection(
          `Response (${[row.status].flat().join(', ')})`,
          formatFields(row.response, 'output'),
        ),
    formatSection(
      'Specific errors',
      row.errors.map((code) => [code]),
    ),
  ]
    .filter((block) => block !== '')
    .join('\n\n');
}

function formatFacts(row: OperationRow): string {
  const { title } = familyOf(row);
  return withoutFalse([
    row.route ??
      'Path not in the API reference; taken from the live OpenAPI document or `operations:`.',
    `${title}, section ${row.section}`,
    row.tool !== undefined && `MCP tool ${row.tool}`,
    row.hasIdempotencyKey && 'Supports --idempotency-key.',
    pageParamsIn(row) !== null && '--all reads every page.',
    row.deprecated === true && 'Deprecated.',
  ]).join('\n');
}

function formatFields(schema: Parameters<typeof schemaFieldsOf>[0], io: 'input' | 'output') {
  return formatFieldLines(schemaFieldsOf(schema, io));
}

/** Pads the cells of the first two columns to the width of the widest one, or to 34 characters if that is less. */
function formatSection(title: string, rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const widths = [0, 1].map((column) =>
    Math.min(34, Math.max(...rows.map((cells) => cells[column]?.length ?? 0))),
  );
  const text = rows.map((cells) =>
    cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '),
  );
  return [title, ...text.map((line) => `  ${line}`.trimEnd())].join('\n');
}
