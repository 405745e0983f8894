// Generates the page of an operation family: parameters, responses and errors of each operation.

import type { OperationRow } from '../../src/api/contract/operation.ts';
import type { Family } from '../../src/api/operation-families.ts';
import { pageParamsIn } from '../../src/api/pages.ts';
import { pathFieldsOf, schemaFieldsOf } from '../../src/cli/api/operation-fields.ts';
import { withoutFalse } from '../../src/plan/helpers/without-false.ts';
import { formatFieldTable, formatResponseTable } from './field-tables.ts';
import { formatPage, generatedNote, toCode } from './markdown.ts';

export function formatFamilyPage(
  { title, section }: Family,
  rows: readonly OperationRow[],
): string {
  return formatPage(
    generatedNote,
    `# ${title}`,
    `Section ${section} of the platform's reference. The [overview](../api.md) describes what all operations have in common.`,
    ...rows.flatMap(formatOperation),
  );
}

function formatOperation(row: OperationRow): string[] {
  return [
    `## ${row.id}`,
    row.route === null
      ? 'The reference does not document the path. Renderline reads the path from `openapi.json`, or from `operations:` in a pipeline file or in `renderline.yaml`.'
      : toCode(row.route),
    row.summary,
    formatFacts(row),
    ...formatTitledBlock('Path', formatFieldTable(pathFieldsOf(row))),
    ...formatTitledBlock('Query', formatFieldTable(schemaFieldsOf(row.query, 'input'))),
    ...formatTitledBlock('Body', formatFieldTable(schemaFieldsOf(row.body, 'input'))),
    ...formatResponse(row),
    formatErrors(row),
  ];
}

function formatTitledBlock(title: string, fields: string): string[] {
  return fields === '' ? [] : [`**${title}**`, fields];
}

function formatFacts(row: OperationRow): string {
  const { batch, verifiedBy = [] } = row;
  return withoutFalse([
    row.deprecated === true && 'Deprecated.',
    row.tool !== undefined && `MCP tool ${toCode(row.tool)}.`,
    batch !== undefined && `Up to ${batch.max} ${toCode(batch.field)} in one request.`,
    pageParamsIn(row) !== null && 'The result has pages; `--all` reads all pages.',
    row.hasIdempotencyKey && 'Accepts an Idempotency-Key.',
    `Retry: ${row.retrySafety}.`,
    verifiedBy.length > 0 && `Created objects are listed by ${verifiedBy.map(toCode).join(', ')}.`,
  ]).join(' ');
}

function formatResponse(row: OperationRow): string[] {
  if (row.response === 'redirect') return ['Responds with 302 and the address of the file.'];
  const statuses = [row.status].flat().join(', ');
  return formatTitledBlock(
    `Response ${statuses}`,
    formatResponseTable(schemaFieldsOf(row.response, 'output')),
  );
}

function formatErrors({ errors: codes }: OperationRow): string {
  const specificCodes = codes.filter((name) => !name.startsWith('IDEMPOTENCY_'));
  return specificCodes.length === 0
    ? ''
    : `Specific errors: ${specificCodes.map(toCode).join(', ')}.`;
}
