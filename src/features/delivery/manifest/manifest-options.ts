// Schema and checks of an export's `manifest`. Pure.
import { z } from 'zod';
import { manifestColumn, manifestPath } from '../../../language/fields.ts';
import { manifestFields } from '../../../language/naming/manifest-fields.ts';
import { foldPath } from '../../../language/naming/naming.ts';
import {
  type DeliveryManifest,
  findManifestFormat,
  manifestFormats,
  originalImage,
} from '../../../plan/delivery-manifests.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { archiveFolder } from '../../../plan/withdrawal.ts';
import type { ReportIssue } from '../images/image-options.ts';

const maxColumns = 100;
const extensions = manifestFormats.map((format) => `.${format}`).join(', ');

const relativePathField = (description: string) =>
  manifestPath(description).refine(
    (text) => !foldPath(text).startsWith(`${archiveFolder}/`),
    `must not be in ${archiveFolder}/, which is reserved for withdrawn files`,
  );

const pathField = (description: string) =>
  relativePathField(`${description} The extension is the format: ${extensions}.`).refine(
    (text) => findManifestFormat(text) !== null,
    `must end with one of ${extensions}`,
  );

const maxZips = 20;

const Zip = z.strictObject({
  path: relativePathField(
    'Path below the connector; `{{ run }}` creates a separate file for each run.',
  ).refine((text) => /\.zip$/i.test(text), 'must end with .zip'),
  image: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Packs only the files of one image: the name of its channel, such as `amazon-main`; without a channel, its format and size as in the manifest column `image`; or `original` for the pictures from which images are made. Default: all files.',
    ),
  files: z
    .enum(['all', 'changed'])
    .default('all')
    .describe(
      '`all` packs all files, `changed` only the files that were added, replaced or renamed since the last manifest.',
    ),
});

export const Manifest = z
  .strictObject({
    path: pathField('Path below the connector; `{{ run }}` creates a separate file for each run.'),
    columns: z
      .record(z.string().min(1).max(200), manifestColumn)
      .refine((columns) => Object.keys(columns).length > 0, 'needs at least one column')
      .refine(
        (columns) => Object.keys(columns).length <= maxColumns,
        `has more columns than the maximum of ${maxColumns}`,
      )
      .optional()
      .describe(
        `Heading and content of each column, such as \`SKU: "{{ row.sku }}"\`. Fields: ${manifestFields.join(', ')}, and columns of tables. Default: all fields and columns.`,
      ),
    changes: pathField(
      'Path of a second file with the files that were added, replaced, renamed, updated or removed since the last run.',
    ).optional(),
    delimiter: z
      .enum([',', ';', 'tab'])
      .optional()
      .describe('Separator of the values in a CSV. Default: ",".'),
    zip: z
      .array(Zip)
      .min(1)
      .max(maxZips)
      .optional()
      .describe(
        'Zips of the listed files, written last; a zip is written only if its files have changed. Paths in a zip are the paths below the connector.',
      ),
    bom: z
      .boolean()
      .optional()
      .describe(
        'Writes a byte order mark at the start of a CSV, which Excel needs. Default: false.',
      ),
  })
  .refine(({ path, changes }) => changes === undefined || foldPath(path) !== foldPath(changes), {
    message: 'must differ from the path of the manifest',
    path: ['changes'],
  })
  .refine(({ zip = [] }) => new Set(zip.map(({ path }) => foldPath(path))).size === zip.length, {
    message: 'two zips have the same path',
    path: ['zip'],
  })
  .refine(({ delimiter, bom, ...files }) => (delimiter ?? bom) === undefined || hasCsvFile(files), {
    message: 'delimiter and bom apply only to CSV',
    path: ['path'],
  })
  .describe('Manifest: a list of all files of this export, written when a run ends.');

function hasCsvFile({
  path,
  changes = path,
}: {
  path: string;
  changes?: string | undefined;
}): boolean {
  return [path, changes].some((filePath) => findManifestFormat(filePath) === 'csv');
}

/** Returns the manifest as a part of the plan. @param tableColumns columns of the tables that the pipeline reads */
export function planManifest(
  { path, changes, columns, delimiter = ',', bom = false, zip }: z.output<typeof Manifest>,
  tableColumns: readonly string[],
): Omit<DeliveryManifest, 'node' | 'delivery' | 'connector' | 'images'> {
  const defaultColumns = [
    ...manifestFields.map((field): [string, string] => [field, `{{ ${field} }}`]),
    ...tableColumns.map((column): [string, string] => [`row.${column}`, `{{ row.${column} }}`]),
  ];
  const zips = zip?.map(({ path: zipPath, image = null, files }) => ({
    path: zipPath,
    image,
    changed: files === 'changed',
  }));
  return {
    path,
    ...omitUndefined({ changes }),
    columns: columns === undefined ? defaultColumns : Object.entries(columns),
    delimiter: delimiter === 'tab' ? '\t' : delimiter,
    bom,
    ...omitUndefined({ zips }),
  };
}

/** Reports zips of an image that the export does not create. */
export function checkZipImages(
  zips: readonly z.output<typeof Zip>[],
  images: Readonly<Record<string, string>>,
  refuse: ReportIssue,
): void {
  const imageNames = [originalImage, ...new Set(Object.values(images))];
  for (const [index, { image = originalImage }] of zips.entries()) {
    if (imageNames.includes(image)) continue;
    const message = `is not an image of this export; its images are ${imageNames.join(', ')}`;
    refuse(message, 'manifest', 'zip', index, 'image');
  }
}
