// Computes the paths of an asset's files from the naming template of an export. Pure.
import { dimensionNames, labelsOf } from '../../language/dimension-names.ts';
import {
  insertBeforeExtension,
  type TakenNames,
  takeFreePath,
} from '../../language/naming/free-name.ts';
import {
  fieldsOfTemplate,
  findUniqueSegment,
  isDataDecisive,
  NamingError,
  type NamingField,
  namingFields,
  renderName,
  toSafeName,
} from '../../language/naming/naming.ts';
import { positionNamesOf } from '../../plan/grid.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Delivery } from '../../plan/run/deliveries.ts';
import type { Asset, ConnectorSpec, StepAsset } from '../../plan/types.ts';
import type { PlannedPath } from '../../store/discovery/planned-paths.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import { deliveryFailures } from './failures.ts';
import { DeliveryError, formatOutput } from './outputs/output-error.ts';

/** Predicted paths keep the placeholders of fields that are unknown before the run: `lamp-{{ output }}.{{ ext }}`. */
const placeholders = Object.fromEntries(
  namingFields.map((field) => [field, `{{ ${field} }}`]),
) as Record<NamingField, string>;
/** Fields that are known before the run, or that are the same for the first file of every asset. */
const knownFields: ReadonlySet<string> = new Set([
  ...'key name model index ext run bookmark shot'.split(' '),
  ...dimensionNames,
]);

export interface NamedOutput<Output extends OutputRef = OutputRef> {
  output: Output;
  /** Path relative to the connector. */
  path: string;
}

interface NameOptions {
  naming: string;
  run: string;
  /** Extension of files derived from the outputs. @default extension of the output */
  ext?: string | undefined;
  /** Pass the same map for all namings of one asset. */
  takenNames?: TakenNames;
  /** True if an output is delivered as a file. @default all outputs */
  has?: (output: OutputRef) => boolean;
}

/** Names the outputs. Files of an asset with the same name get a number. @throws DeliveryError OUTPUT_UNNAMED */
export function nameOutputs<Output extends OutputRef>(
  asset: StepAsset,
  outputs: readonly Output[],
  { takenNames = new Map(), has = () => true, ...options }: NameOptions,
): NamedOutput<Output>[] {
  return outputs.flatMap((output, index) => {
    if (!has(output)) return [];
    const path = takeFreePath(formatName(asset, output, { ...options, index }), takenNames);
    return [{ output, path }];
  });
}

/** True if another asset may get the same path. */
export function canCollide(path: string, naming: string): boolean {
  // Names that were converted to safe ones end with `~hash`, but a key may have the same ending.
  if (/~[0-9a-z]{7}(?:[./]|$)/.test(path)) return true;
  const segment = findUniqueSegment(naming);
  if (segment !== 'name') return segment === null;
  // A key may end with the same pattern as the suffix that distinguishes outputs of one asset.
  return /(?:-(?:[2-9]|[1-9]\d+)|\.preview)\.[^./]*$/.test(path);
}

/** True if only the data of assets shows whether their file names differ. All assets are then compared at once. */
export function hasNamesToCompare(deliveries: readonly Delivery[]): boolean {
  return deliveries.some(({ naming }) => isDataDecisive(naming));
}

/**
 * Predicts the paths of an asset's files before anything is paid for. Unknown fields count as equal for all assets. If
 * only the data makes names differ (`isDataDecisive`), every asset counts as delivered. An export whose names contain
 * `model` or `project`, but not `key`, is omitted unless it is unconditional and all fields are known.
 */
export function predictPaths(
  deliveries: readonly Delivery[],
  connectors: Readonly<Record<string, ConnectorSpec>>,
  asset: Pick<Asset, 'key' | 'source'>,
): PlannedPath[] {
  const model = modelKeyOf(asset);
  const { cell: _cell, ...modelSource } = asset.source;
  return deliveries.flatMap(
    ({ connector, naming, isUnconditional, keepsOldFiles, ...delivery }) => {
      const { isPerModel = false } = delivery;
      const subject = isPerModel ? { key: model, source: modelSource } : asset;
      const fields = { ...placeholders, model, ...fieldsOf(subject) };
      const usedFields = fieldsOfTemplate(naming);
      const isKnown = isUnconditional && usedFields.every((field) => knownFields.has(field));
      if (!usedFields.includes('key') && !isKnown && !isDataDecisive(naming)) return [];
      try {
        const destination = JSON.stringify(connectors[connector]);
        const path = renderName(naming, fields);
        const owner = isPerModel ? { model } : {};
        return [{ connector, destination, path, ...owner, ...omitUndefined({ keepsOldFiles }) }];
      } catch (error) {
        if (error instanceof NamingError) return [];
        throw error;
      }
    },
  );
}

function formatName(
  asset: StepAsset,
  output: OutputRef,
  {
    naming,
    run,
    index,
    ext = extensionOf(output.fileType),
  }: Pick<NameOptions, 'naming' | 'run' | 'ext'> & { index: number },
): string {
  const { platformIds } = asset;
  const fields = {
    ...fieldsOf(asset),
    output: output.name,
    index: String(index + 1),
    ext,
    model: platformIds.modelId ?? '',
    project: platformIds.projectId ?? '',
    template: platformIds.templateId ?? '',
    run,
    variant: platformIds.variantName ?? '',
    bookmark: platformIds.bookmark ?? '',
    shot: platformIds.shot ?? '',
  };
  try {
    const name = renderName(naming, fields);
    return output.isPreview ? insertBeforeExtension(name, '.preview') : name;
  } catch (error) {
    if (!(error instanceof NamingError)) throw error;
    const message = `${formatOutput(output)}: ${error.message}`;
    throw new DeliveryError(deliveryFailures.OUTPUT_UNNAMED, message);
  }
}

/** Returns the fields that depend only on the asset. */
function fieldsOf({ key, source }: Pick<Asset, 'key' | 'source'>) {
  const ofModel = modelKeyOf({ key, source });
  return {
    // Folders are nested: model, then each position.
    key: [ofModel, ...positionNamesOf(source).map(toSafeName)].join('/'),
    name: ofModel.split('/').at(-1) ?? ofModel,
    ...labelsOf(source),
    row: source.row?.values ?? {},
  };
}

function extensionOf(fileType: string): string {
  const type = fileType.toLowerCase();
  return { jpeg: 'jpg', tiff: 'tif', prores: 'mov' }[type] ?? type;
}
