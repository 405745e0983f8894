// Reads which logos a model's slots hold. Settings specify the fields, because the platform does not document them.

import { ResponseShapeError } from '../../api/errors/errors.ts';
import { toPlainText } from '../../api/responses/plain-text.ts';
import { idOf, nameOf, UnreadableValue } from '../../api/responses/response-values.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import { failUnreadable, readOrUnreadable } from '../../engine/unreadable-response.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { failDeletedModel, modelFailures } from '../models/failures.ts';
import { decorationCauses } from './failures.ts';

export interface Logo {
  variantId: string;
  decalId: string;
  /** Decoration method. Null if the logo has none. */
  method: string | null;
}

export interface LogoSlot {
  id: string;
  name: string;
  logos: Logo[];
}

/** Reads the slots of an asset's model with their logos, or returns the asset's failure. */
export async function readLogoSlots(
  asset: StepAsset,
  context: NodeContext,
): Promise<LogoSlot[] | AssetResult> {
  const { key, platformIds } = asset;
  const { modelId } = platformIds;
  if (modelId === undefined) {
    return fail(modelFailures.NO_MODEL, key, 'the asset has no model whose logos could be read');
  }
  const read = () => context.client.listDecalSlots({ params: { modelId } }, callOptions(context));
  const response = await readOrUnreadable(() => nullIfNotFound(read));
  if (response instanceof ResponseShapeError) return failUnreadable(key, response);
  if (response === null) return failDeletedModel(asset, ['modelId']);
  return (response.decalSlots ?? []).map((record) => readSlot(record, context.fields.slot));
}

/** @throws RunCauseError if the configured field names are wrong */
function readSlot(
  record: Readonly<Record<string, unknown>>,
  fields: NodeContext['fields']['slot'],
): LogoSlot {
  const [id, name, logos] = [
    idOf(record[fields.id]),
    nameOf(record[fields.name]),
    record[fields.logos],
  ];
  if (id instanceof UnreadableValue) throw wrongFieldError(record, 'id', fields.id);
  if (name instanceof UnreadableValue) throw wrongFieldError(record, 'name', fields.name);
  if (!Array.isArray(logos)) throw wrongFieldError(record, 'list of logos', fields.logos);
  return { id, name, logos: logos.map((logo) => readLogo(logo, record, fields)) };
}

/** Reads a logo. Its fields are those that the platform documents for the response of `setDecorationMethod`. */
function readLogo(
  logo: unknown,
  record: Readonly<Record<string, unknown>>,
  fields: NodeContext['fields']['slot'],
): Logo {
  const values: Readonly<Record<string, unknown>> = { ...(logo as object) };
  const [variantId, decalId] = [idOf(values['variantId']), idOf(values['decalId'])];
  if (variantId instanceof UnreadableValue || decalId instanceof UnreadableValue)
    throw wrongFieldError(record, 'list of logos', fields.logos);
  const method = values['decorationMethod'];
  return { variantId, decalId, method: typeof method === 'string' ? method : null };
}

function wrongFieldError(record: object, meaning: string, field: string): RunCauseError {
  const fieldNames = Object.keys(record).slice(0, 20).join(', ') || 'none';
  return new RunCauseError(
    decorationCauses.LOGO_FIELDS,
    `the decal slots of the platform have no readable field "${field}", which should contain their ${meaning}; the slots have the fields ${toPlainText(fieldNames)}`,
  );
}
