// The values of a delivered file, and the manifest cells created from them. Pure.
import { labelsOf } from '../../../language/dimension-names.ts';
import type { ManifestField } from '../../../language/naming/manifest-fields.ts';
import { findColumn, findOnlyField, renderText } from '../../../language/naming/naming.ts';
import type { DeliveryManifest } from '../../../plan/delivery-manifests.ts';
import type { Row, RowValue } from '../../../plan/rows.ts';
import { modelKeyOf } from '../../../store/records/cell-keys.ts';
import type {
  DeliveredAsset,
  PlacedFile,
} from '../../../store/runs/publications/delivered-assets.ts';
import { createModelOutputId } from '../platform-ids.ts';

type FileValues = Readonly<Record<ManifestField, string | number>>;

/** Returns the cells of each file. @param files files of one export of the asset, in the order of their delivery */
export function cellsOfFiles(
  asset: DeliveredAsset,
  files: readonly PlacedFile[],
  { columns, images }: Pick<DeliveryManifest, 'columns' | 'images'>,
  row: Row['values'],
): RowValue[][] {
  const outputs = [...new Set(files.map(({ output, path }) => output ?? path))];
  return files.map((file) => toCells(columns, toValues(asset, file, { outputs, images }), row));
}

function toValues(
  { key, source, platformIds }: DeliveredAsset,
  file: PlacedFile,
  { outputs, images }: { outputs: readonly string[]; images: DeliveryManifest['images'] },
): FileValues {
  const model = modelKeyOf({ key, source });
  const { path, sha256, bytes, width, height, image, output } = file;
  const ext = /\.([^./]+)$/.exec(path)?.[1] ?? '';
  return {
    key,
    name: model.split('/').at(-1) ?? model,
    ...labelsOf(source),
    file: path,
    sha256,
    bytes,
    width,
    height,
    format: formatOf(ext),
    ext,
    image: image === undefined ? '' : (images[image] ?? ''),
    output: outputNameOf(output, platformIds),
    index: outputs.indexOf(output) + 1,
    variant: platformIds.variantName ?? '',
    bookmark: platformIds.bookmark ?? '',
    shot: platformIds.shot ?? '',
    source: source.path,
    model: platformIds.modelId ?? '',
    project: platformIds.projectId ?? '',
    template: platformIds.templateId ?? '',
    run: file.run,
    deliveredAt: file.at,
  };
}

function formatOf(ext: string): string {
  const plain = ext.toLowerCase();
  return { jpg: 'JPEG', tif: 'TIFF' }[plain] ?? plain.toUpperCase();
}

function outputNameOf(
  output: string,
  { outputs = [], sheet, modelId = '' }: DeliveredAsset['platformIds'],
): string {
  if (sheet?.fileId === output) return sheet.name ?? '';
  const ofModel = createModelOutputId(modelId, '');
  if (output.startsWith(ofModel)) return output.slice(ofModel.length);
  return outputs.find(({ id }) => id === output)?.name ?? '';
}

/** Returns the cells of a file. A column with only one field keeps the field's type. Other columns are text. */
function toCells(
  columns: DeliveryManifest['columns'],
  values: FileValues,
  row: Row['values'],
): RowValue[] {
  const valueOf = (field: string): RowValue => {
    const column = findColumn(field);
    if (column !== null) return row[column] ?? null;
    return Object.hasOwn(values, field) ? values[field as ManifestField] : null;
  };
  return columns.map(([, template]) => {
    const only = findOnlyField(template);
    return only === null
      ? renderText(template, (field) => String(valueOf(field) ?? ''))
      : valueOf(only);
  });
}
