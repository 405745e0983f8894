// Reads the variants of a model. The platform does not document their fields, so the settings specify them.

import { ResponseShapeError } from '../../api/errors/errors.ts';
import { removeControls, toPlainText } from '../../api/responses/plain-text.ts';
import { idOf, nameOf, UnreadableValue } from '../../api/responses/response-values.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { removeDuplicateIds } from '../../engine/remove-duplicate-ids.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import type { ResponseTo } from '../../engine/submit/creation.ts';
import { failUnreadable, readOrUnreadable } from '../../engine/unreadable-response.ts';
import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { failDeletedModel, modelFailures } from '../models/failures.ts';
import { colorwayCauses } from './failures.ts';

const maxNameLength = 120;
const maxNamesShown = 10;

export interface Variant {
  id: string;
  name: string;
  /** Material id by slot id. Absent if the platform does not return it. */
  materialBySlot?: ReadonlyMap<string, string>;
}

/** Returns the variants of an asset's model in the platform's order, or the asset's failure. */
export async function readVariants(
  asset: Pick<StepAsset, 'key' | 'platformIds'>,
  context: NodeContext,
): Promise<Variant[] | AssetResult> {
  const { key, platformIds } = asset;
  const { modelId } = platformIds;
  if (modelId === undefined) {
    const message = 'the asset has no model whose variants could be read';
    return fail(modelFailures.NO_MODEL, key, message);
  }
  const params = { modelId };
  const read = () => context.client.listModelVariants({ params }, callOptions(context));
  const response = await readOrUnreadable(() => nullIfNotFound(read));
  if (response instanceof ResponseShapeError) return failUnreadable(key, response);
  if (response === null) return failDeletedModel(asset, ['modelId', 'colorway', 'variants']);
  return parseVariants(asset, response.variants, context);
}

/**
 * Reads all variants or fails, because new variants are found by comparing complete lists.
 * @throws RunCauseError if the configured field names are wrong
 */
function parseVariants(
  { key }: Pick<StepAsset, 'key'>,
  records: ResponseTo<'listModelVariants'>['variants'],
  { fields: { variant: fields } }: NodeContext,
): Variant[] | AssetResult {
  const variants = records.flatMap((record) => {
    const [id, name] = [idOf(record[fields.id]), nameOf(record[fields.name])];
    if (id instanceof UnreadableValue || name instanceof UnreadableValue || name === '') return [];
    const materialBySlot = readMaterialBySlot(record, fields);
    return [{ id, name, ...(materialBySlot ? { materialBySlot } : {}) }];
  });
  const [first] = records;
  if (first && variants.length === 0) throw wrongFieldsError(first, fields);
  const unread = records.unread + records.length - variants.length;
  if (unread === 0) return removeDuplicateIds(variants, ({ id }) => id);
  const message = `listModelVariants: ${unread} of the variants of its model cannot be read`;
  return fail(assetFailures.API_UNEXPECTED, key, message);
}

/** Returns the material id by slot id of a variant, or null if the variant does not show all of them. */
function readMaterialBySlot(
  record: Readonly<Record<string, unknown>>,
  fields: NodeContext['fields']['variant'],
): Map<string, string> | null {
  const items = record[fields.materials];
  if (!Array.isArray(items)) return null;
  const materialBySlot = new Map<string, string>();
  for (const item of items) {
    if (typeof item !== 'object' || item === null) return null;
    const values: Readonly<Record<string, unknown>> = { ...item };
    const [slot, material] = [idOf(values[fields.slot]), idOf(values[fields.material])];
    if (slot instanceof UnreadableValue || material instanceof UnreadableValue) return null;
    materialBySlot.set(slot, material);
  }
  return materialBySlot;
}

function wrongFieldsError(
  record: Readonly<Record<string, unknown>>,
  fields: NodeContext['fields']['variant'],
): RunCauseError {
  const meaning = idOf(record[fields.id]) instanceof UnreadableValue ? 'id' : 'name';
  const fieldNames = Object.keys(record).slice(0, 20).join(', ') || 'none';
  return new RunCauseError(
    colorwayCauses.VARIANT_FIELDS,
    `the platform's variants have no text in the field "${fields[meaning]}", which should contain the ${meaning} of each variant; available fields: ${toPlainText(fieldNames)}`,
  );
}

/** Returns the platform ids of the chosen variants, with the name if there is exactly one. */
export function toVariantIds(chosenVariants: readonly Variant[]): PlatformIds {
  const variants = chosenVariants.map(({ id }) => id);
  const [only, ...others] = chosenVariants;
  if (only === undefined || others.length > 0) return { variants };
  return { variants, variantName: removeControls(only.name).trim().slice(0, maxNameLength) };
}

/** Formats the names of the first few variants, for messages. */
export function formatVariantNames(variants: readonly Variant[]): string {
  const names = variants.map(({ name }) => `"${name}"`);
  return formatFirst(names, maxNamesShown) || 'none';
}
