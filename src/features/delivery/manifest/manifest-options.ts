// Schema and checks of `manifest` of an export. Pure.
import { z } from 'zod';
import { manifestColumn, manifestPath } from '../../../language/fields.ts';
import { manifestFields } from '../../../language/naming/manifest-fields.ts';
import { foldPath } from '../../../language/naming/naming.ts';
import {
  type DeliveryManifest,
  manifestFormatOf,
  manifestFormats,
} from '../../../plan/delivery-manifests.ts';
import { archiveFolder } from '../../../plan/withdrawal.ts';

const maxColumns = 100;
const extensions = manifestFormats.map((format) => `.${format}`).join(', ');

const path = (description: string) =>
  manifestPath(`${description} The extension is the format: ${extensions}.`)
    .refine((text) => manifestFormatOf(text) !== null, `must end with one of ${extensions}`)
    .refine(
      (text) => !foldPath(text).startsWith(`${archiveFolder}/`),
      `must not be in ${archiveFolder}/, where withdrawn files are`,
    );

export const Manifest = z
  .strictObject({
    path: path('Path below the connector; `{{ run }}` gives each run a file of its own.'),
    columns: z
      .record(z.string().min(1).max(200), manifestColumn)
      .refine((columns) => Object.keys(columns).length > 0, 'needs a column')
      .refine((columns) => Object.keys(columns).length <= maxColumns, `at most ${maxColumns}`)
      .optional()
      .describe(
        `Heading and content of each column, such as \`SKU: "{{ row.sku }}"\`. Fields: ${manifestFields.join(', ')}, and columns of tables. Default: all of them.`,
      ),
    changes: path(
      'Path of a second file with the files that were added, replaced, renamed, updated or removed since the last run.',
    ).optional(),
    delimiter: z
      .enum([',', ';', 'tab'])
      .optional()
      .describe('Between the values of a CSV. Default: ",".'),
    bom: z
      .boolean()
      .optional()
      .describe('Byte order mark at the start of a CSV: Excel needs it. Default: false.'),
  })
  .refine(({ path, changes }) => changes === undefined || foldPath(path) !== foldPath(changes), {
    message: 'must be another path than that of the manifest',
    path: ['changes'],
  })
  .refine(({ delimiter, bom, ...files }) => (delimiter ?? bom) === undefined || hasCsv(files), {
    message: 'delimiter and bom apply to CSV alone',
    path: ['path'],
  })
  .describe('A list of all files of this export, written when a run ends.');
export type ManifestOptions = z.output<typeof Manifest>;

function hasCsv({ path, changes = path }: { path: string; changes?: string | undefined }): boolean {
  return [path, changes].some((one) => manifestFormatOf(one) === 'csv');
}

/**
 * The manifest as a part of the plan.
 * @param columns of tables that the pipeline reads
 */
export function plannedManifest(
  { path, changes, columns, delimiter = ',', bom = false }: ManifestOptions,
  tableColumns: readonly string[],
): Omit<DeliveryManifest, 'node' | 'delivery' | 'connector' | 'images'> {
  const all = [
    ...manifestFields.map((field): [string, string] => [field, `{{ ${field} }}`]),
    ...tableColumns.map((column): [string, string] => [`row.${column}`, `{{ row.${column} }}`]),
  ];
  return {
    path,
    ...(changes === undefined ? {} : { changes }),
    columns: columns === undefined ? all : Object.entries(columns),
    delimiter: delimiter === 'tab' ? '\t' : delimiter,
    bom,
  };
}
