// One page a family: what each operation takes, answers and refuses.
import type { Family } from '../api/families.ts';
import type { OperationRow } from '../api/operation.ts';
import { pagedBy } from '../api/pages.ts';
import { code, generatedNote, page } from './markdown.ts';
import { pathFields, schemaFields } from './row-fields.ts';
import { answerTable, fieldTable } from './schema-fields.ts';

export function familyPage({ title, section }: Family, rows: readonly OperationRow[]): string {
  return page(
    generatedNote,
    `# ${title}`,
    `Section ${section} of the platform's reference. What holds for every operation is in the [overview](../api.md).`,
    ...rows.flatMap(operationBlocks),
  );
}

function operationBlocks(row: OperationRow): string[] {
  return [
    `## ${row.id}`,
    row.route === null
      ? 'The reference shows no path: it is taken from `openapi.json`, or from `operations:` of a pipeline file or of `renderline.yaml`.'
      : code(row.route),
    row.summary,
    facts(row),
    ...titled('Path', fieldTable(pathFields(row))),
    ...titled('Query', fieldTable(schemaFields(row.query, 'input'))),
    ...titled('Body', fieldTable(schemaFields(row.body, 'input'))),
    ...answer(row),
    errors(row),
  ];
}

function titled(title: string, fields: string): string[] {
  return fields === '' ? [] : [`**${title}**`, fields];
}

function facts(row: OperationRow): string {
  const { batch, shownBy = [] } = row;
  return [
    ...(row.deprecated ? ['Deprecated.'] : []),
    ...(row.tool === undefined ? [] : [`MCP tool ${code(row.tool)}.`]),
    ...(batch === undefined ? [] : [`Up to ${batch.max} ${code(batch.field)} in one request.`]),
    ...(pagedBy(row) === null ? [] : ['Comes in pages; `--all` reads them all.']),
    ...(row.keyed ? ['Takes an Idempotency-Key.'] : []),
    `Sent again: ${row.proof}.`,
    ...(shownBy.length === 0 ? [] : [`What it has made shows in ${shownBy.map(code).join(', ')}.`]),
  ].join(' ');
}

function answer(row: OperationRow): string[] {
  if (row.response === 'redirect') return ['Answers 302 with the address of the file.'];
  const statuses = [row.status].flat().join(', ');
  return titled(`Answer ${statuses}`, answerTable(schemaFields(row.response, 'output')));
}

function errors({ errors: codes }: OperationRow): string {
  const own = codes.filter((name) => !name.startsWith('IDEMPOTENCY_'));
  return own.length === 0 ? '' : `Errors of its own: ${own.map(code).join(', ')}.`;
}
