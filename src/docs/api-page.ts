// The overview of API operations, made from the contract's rows.
import { commonErrors } from '../api/error-codes.ts';
import { type Family, families } from '../api/families.ts';
import type { OperationRow, Proof } from '../api/operation.ts';
import { operations } from '../api/operations/index.ts';
import { code, generatedNote, page, table } from './markdown.ts';

const proofs: Record<Proof, string> = {
  read: 'is sent again at any time: nothing changes',
  key: 'is sent again under the same Idempotency-Key within 24 hours',
  lookup: 'is sent again, under the same key, only after looking for what it made',
  none: 'is sent again only under the same key within 23 hours, since nothing lists what it made; then a person decides (`OUTCOME_UNKNOWN`)',
  repeat: 'sets a state: doing it twice is doing it once',
};

/** Every operation in one table a family; fields and errors are on the family's own page. */
export function apiPage(): string {
  const rows: readonly OperationRow[] = Object.values(operations);
  return page(
    generatedNote,
    '# API operations',
    "Each operation is one row of `src/api/operations/`; client, sandbox, `openapi.json`, `renderline api OPERATION`, [MCP tools](mcp.md) and these pages are made from the rows. The number beside a family is the section of the platform's reference. Try any of them against the sandbox: `renderline api listTemplates`; `renderline api createModels --help` shows the fields.",
    `Beside its own errors every operation may answer ${commonErrors.map(code).join(', ')}: [errors](errors.md#codes-of-the-platform).`,
    'Operations with an Idempotency-Key also answer `IDEMPOTENCY_CONFLICT` and `IDEMPOTENCY_KEY_REUSED`.',
    'Answers are read [as far as they are needed](decisions/018-reading-answers.md); `renderline api` shows them as they came.',
    'After an answer that never came, a request',
    Object.entries(proofs)
      .map(([proof, meaning]) => `- **${proof}**: ${meaning}`)
      .join('\n'),
    ...families.flatMap((family) => overview(family, rowsOf(family, rows))),
  );
}

/** The rows of a family, in the order of the registry. */
export function rowsOf({ section }: Family, rows: readonly OperationRow[]): OperationRow[] {
  return rows.filter((row) => row.section === section);
}

/** File name of a family's page, below `docs/api`. */
export function familyFile({ title }: Family): string {
  return `${title.toLowerCase().replace(/[^a-z]+/g, '-')}.md`;
}

function overview(family: Family, rows: readonly OperationRow[]): string[] {
  if (rows.length === 0) return [];
  const file = familyFile(family);
  return [
    `## ${family.title} (${family.section})`,
    table(
      ['operation', 'route', 'does', 'MCP tool', 'sent again'],
      rows.map((row) => [
        `[${code(row.id)}](api/${file}#${row.id.toLowerCase()})`,
        row.route === null ? 'not shown' : code(row.route),
        `${row.summary}${row.deprecated ? ' Deprecated.' : ''}`,
        code(row.tool ?? ''),
        row.proof,
      ]),
    ),
  ];
}
