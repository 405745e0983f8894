// Generates the overview of the API operations.
import { commonErrors } from '../../src/api/contract/error-codes.ts';
import type { OperationRow, RetrySafety } from '../../src/api/contract/operation.ts';
import { type Family, operationFamilies } from '../../src/api/operation-families.ts';
import { operations } from '../../src/api/operations/index.ts';
import { formatPage, formatTable, generatedNote, toCode } from './markdown.ts';

const proofs: Record<RetrySafety, string> = {
  read: 'is retried at any time, because it changes nothing',
  key: 'is retried with the same Idempotency-Key within 24 hours',
  lookup: 'is retried with the same key only after a lookup of the created object',
  none: 'is retried only with the same key within 23 hours, because no operation lists the created object; after that a person decides (`OUTCOME_UNKNOWN`)',
  repeat: 'is retried at any time, because it sets a state and is therefore idempotent',
};

/** Formats a table of operations for each family. Fields and errors are on the page of the family. */
export function formatApiPage(): string {
  return formatPage(
    generatedNote,
    '# API operations',
    "Each operation is one row in `src/api/operations/`. The client, the sandbox, `openapi.json`, `renderline api OPERATION`, the [MCP tools](mcp.md) and these pages are generated from the rows. The number of a family is the section of the platform's reference. Try an operation against the sandbox: `renderline api listTemplates`; `renderline api createModels --help` shows the fields.",
    `In addition to its specific errors, every operation may return ${commonErrors.map(toCode).join(', ')}: see [errors](errors.md#codes-of-the-platform).`,
    'Operations with an Idempotency-Key may also return `IDEMPOTENCY_CONFLICT` and `IDEMPOTENCY_KEY_REUSED`.',
    'Renderline validates [only the fields that it needs](decisions/018-reading-responses.md); `renderline api` prints the full response.',
    'If a request gets no response, the retry rule of its operation applies. The request',
    Object.entries(proofs)
      .map(([retrySafety, meaning]) => `- **${retrySafety}**: ${meaning}`)
      .join('\n'),
    ...operationFamilies.flatMap(formatOverview),
  );
}

/** Returns the operations of a family, in the order of the registry. */
export function rowsOf({ section }: Family): OperationRow[] {
  return Object.values<OperationRow>(operations).filter((row) => row.section === section);
}

/** Returns the file name of a family's page in `docs/api`. */
export function familyFileOf({ title }: Family): string {
  return `${title.toLowerCase().replace(/[^a-z]+/g, '-')}.md`;
}

function formatOverview(family: Family): string[] {
  const rows = rowsOf(family);
  if (rows.length === 0) return [];
  const file = familyFileOf(family);
  return [
    `## ${family.title} (${family.section})`,
    formatTable(
      ['operation', 'route', 'does', 'MCP tool', 'retry'],
      rows.map((row) => [
        `[${toCode(row.id)}](api/${file}#${row.id.toLowerCase()})`,
        row.route === null ? 'not documented' : toCode(row.route),
        `${row.summary}${row.deprecated ? ' Deprecated.' : ''}`,
        toCode(row.tool ?? ''),
        row.retrySafety,
      ]),
    ),
  ];
}
