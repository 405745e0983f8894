// Generates the page of an operation family: parameters, responses and errors of each operation.

import type { OperationRow } from '../api/contract/operation.ts';
import type { Family } from '../api/operation-families.ts';
import { pagedBy } from '../api/pages.ts';
import { code, generatedNote, page } from './markdown.ts';
import { pathFields, schemaFields } from './row-fields.ts';
import { fieldTable, responseTable } from './schema-fields.ts';

export function familyPage({ title, section }: Family, rows: readonly OperationRow[]): string {
  return page(
    generatedNote,
    `# ${title}`,
    `Section ${section} of the platform's reference. The [overview](../api.md) describes what all operations have in common.`,
    ...rows.flatMap(operationBlocks),
  );
}

function operationBlocks(row: OperationRow): string[] {
  return [
    `## ${row.id}`,
    row.route === null
      ? 'The reference does not document the path. It is read from `openapi.json`, or from `operations:` in a pipeline file or in `renderline.yaml`.'
      : code(row.route),
    row.summary,
    facts(row),
    ...titledBlock('Path', fieldTable(pathFields(row))),
    ...titledBlock('Query', fieldTable(schemaFields(row.query, 'input'))),
    ...titledBlock('Body', fieldTable(schemaFields(row.body, 'input'))),
    ...answer(row),
    errors(row),
  ];
}

function titledBlock(title: string, fields: string): string[] {
  return fields === '' ? [] : [`**${title}**`, fields];
}

function facts(row: OperationRow): string {
  const { batch, verifiedBy = [] } = row;
  return [
    ...(row.deprecated ? ['Deprecated.'] : []),
    ...(row.tool === undefined ? [] : [`MCP tool ${code(row.tool)}.`]),
    ...(batch === undefined ? [] : [`Up to ${batch.max} ${code(batch.field)} in one request.`]),
    ...(pagedBy(row) === null ? [] : ['The result has pages; `--all` reads all pages.']),
    ...(row.hasIdempotencyKey ? ['Takes an Idempotency-Key.'] : []),
    `Retry: ${row.retrySafety}.`,
    ...(verifiedBy.length === 0
      ? []
      : [`Created objects are listed by ${verifiedBy.map(code).join(', ')}.`]),
  ].join(' ');
}

function answer(row: OperationRow): string[] {
  if (row.response === 'redirect') return ['Responds with 302 and the address of the file.'];
  const statuses = [row.status].flat().join(', ');
  return titledBlock(`Response ${statuses}`, responseTable(schemaFields(row.response, 'output')));
}

function errors({ errors: codes }: OperationRow): string {
  const specificCodes = codes.filter((name) => !name.startsWith('IDEMPOTENCY_'));
  return specificCodes.length === 0
    ? ''
    : `Specific errors: ${specificCodes.map(code).join(', ')}.`;
}
