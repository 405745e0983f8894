// The page of API operations, made from the contract's rows.
import { commonErrors } from '../api/error-codes.ts';
import type { OperationRow, Proof } from '../api/operation.ts';
import { operations } from '../api/operations/index.ts';
import { code, generatedNote, page, table } from './markdown.ts';

const proofs: Record<Proof, string> = {
  read: 'is sent again at any time: nothing changes',
  key: 'is sent again under the same Idempotency-Key within 24 hours',
  lookup: 'is sent again under the same key, and afterwards only after looking for what it made',
  none: 'is sent again only under the same key within 23 hours, since nothing lists what it made; then a person decides (`OUTCOME_UNKNOWN`)',
  repeat: 'sets a state: doing it twice is doing it once',
};

/** Families in the order in which work goes through them, by section of the platform's reference. */
const families: readonly (readonly [section: string, title: string])[] = [
  ['4.1', 'Identity and usage'],
  ['4.2', 'Models'],
  ['4.3', 'Projects'],
  ['4.4', 'Renders'],
  ['4.5', 'Templates'],
  ['4.6', 'Webhooks'],
  ['4.7', 'Unified jobs'],
  ['4.8', 'Pipelines and colorways'],
  ['4.9', 'Props, decals, materials'],
  ['4.10', 'Library management'],
  ['4.11', 'Properties and asset search'],
  ['4.12', 'Variants and decal slots'],
  ['4.13', 'Production files'],
];

/**
 * Every operation, by family.
 * @throws RangeError for an operation whose section has no family here.
 */
export function apiPage(): string {
  const rows: readonly OperationRow[] = Object.values(operations);
  const stray = rows.find((row) => familyOf(row) === undefined);
  if (stray !== undefined) {
    throw new RangeError(`${stray.id} is of section ${stray.section}, which has no title here`);
  }
  return page(
    generatedNote,
    '# API operations',
    "Each operation is one row of `src/api/operations/`; client, sandbox, `openapi.json`, `renderline api OPERATION` and this page are made from the rows. The number beside a family is the section of the platform's reference. Try any of them against the sandbox: `renderline api listTemplates`.",
    `Beside its own errors every operation may answer ${commonErrors.map(code).join(', ')}: [errors](errors.md#codes-of-the-platform).`,
    'Operations with an Idempotency-Key also answer `IDEMPOTENCY_CONFLICT` and `IDEMPOTENCY_KEY_REUSED`.',
    'After an answer that never came, a request',
    Object.entries(proofs)
      .map(([proof, meaning]) => `- **${proof}**: ${meaning}`)
      .join('\n'),
    ...families.flatMap(([section, title]) =>
      family(
        title,
        section,
        rows.filter((row) => row.section === section),
      ),
    ),
  );
}

function family(title: string, section: string, rows: readonly OperationRow[]): string[] {
  if (rows.length === 0) return [];
  return [
    `## ${title} (${section})`,
    table(
      ['operation', 'route', 'does', 'many at once', 'Idempotency-Key', 'sent again', 'own errors'],
      rows.map((row) => [
        code(row.id),
        row.route === null
          ? 'not shown in the reference: taken from `openapi.json`, or from `operations:` in `renderline.yaml`'
          : code(row.route),
        row.summary,
        row.batch === undefined ? '' : `${code(row.batch.field)}, up to ${row.batch.max}`,
        row.keyed ? 'yes' : '',
        row.proof,
        row.errors
          .filter((error) => !isIdempotency(error))
          .map(code)
          .join(' '),
      ]),
    ),
  ];
}

function familyOf(row: OperationRow): string | undefined {
  return families.find(([section]) => section === row.section)?.[1];
}

function isIdempotency(error: string): boolean {
  return error.startsWith('IDEMPOTENCY_');
}
