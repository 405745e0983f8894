// The paths of an asset's files under the naming template of an export. Pure.
import { apartBy, NamingError, renderName } from '../../language/naming.ts';
import type { StepAsset } from '../../plan/types.ts';
import { modelKeyOf } from '../../store/records/asset-names.ts';
import type { OutputRef } from '../renders/refs.ts';
import { deliveryFailures } from './failures.ts';
import { DeliveryError, outputWords } from './output-error.ts';

export interface NamedOutput {
  output: OutputRef;
  /** Relative to the connector. */
  path: string;
}

/**
 * Two outputs of an asset that would take one name are told apart by a number.
 * @throws DeliveryError OUTPUT_UNNAMED
 */
export function nameOutputs(
  asset: StepAsset,
  outputs: readonly OutputRef[],
  { naming, run }: { naming: string; run: string },
): NamedOutput[] {
  const taken = new Map<string, number>();
  return outputs.map((output, index) => {
    const path = freePath(nameOf(asset, output, { naming, run, index }), taken);
    return { output, path };
  });
}

/** Whether another asset may get this path, too. */
export function mayClash(path: string, naming: string): boolean {
  const by = apartBy(naming);
  if (by !== 'name') return by === null;
  // What is put behind the name of an asset with several outputs, and what a key of that kind ends in.
  return /(?:-(?:[2-9]|[1-9]\d+)|\.preview)\.[^./]*$/.test(path);
}

function nameOf(
  { key, source, refs }: StepAsset,
  output: OutputRef,
  { naming, run, index }: { naming: string; run: string; index: number },
): string {
  const ofModel = modelKeyOf({ key, source });
  const cell = [source.colorway?.name, source.view?.name].filter((name) => name !== undefined);
  const fields = {
    // A folder for each model, in it one for each of its colorways, and in that one for each view.
    key: [ofModel, ...cell].join('/'),
    name: ofModel.split('/').at(-1) ?? ofModel,
    output: output.name,
    index: String(index + 1),
    ext: extensionOf(output.fileType),
    model: refs.modelId ?? '',
    project: refs.projectId ?? '',
    template: refs.templateId ?? '',
    run,
    variant: refs.variantName ?? '',
    colorway: source.colorway?.name ?? '',
    view: source.view?.name ?? '',
    bookmark: refs.bookmark ?? '',
    shot: refs.shot ?? '',
  };
  try {
    const name = renderName(naming, fields);
    return output.isPreview ? beforeExtension(name, '.preview') : name;
  } catch (error) {
    if (!(error instanceof NamingError)) throw error;
    throw new DeliveryError(
      deliveryFailures.OUTPUT_UNNAMED,
      `${outputWords(output)}: ${error.message}`,
    );
  }
}

/** @param taken paths, and the last number behind each: of a thousand outputs of one name none begins at two again */
function freePath(path: string, taken: Map<string, number>): string {
  const name = path.toLowerCase();
  let [free, count] = [path, taken.get(name) ?? 1];
  while (taken.has(free.toLowerCase())) {
    count += 1;
    free = beforeExtension(path, `-${count}`);
  }
  taken.set(name, count);
  taken.set(free.toLowerCase(), taken.get(free.toLowerCase()) ?? 1);
  return free;
}

function beforeExtension(path: string, text: string): string {
  const dot = path.lastIndexOf('.');
  return dot <= path.lastIndexOf('/') ? path + text : path.slice(0, dot) + text + path.slice(dot);
}

function extensionOf(fileType: string): string {
  const type = fileType.toLowerCase();
  return { jpeg: 'jpg', tiff: 'tif', prores: 'mov' }[type] ?? type;
}
