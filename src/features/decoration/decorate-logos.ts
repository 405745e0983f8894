// Sets the decoration methods and inks of logos. Inks belong to the logo, which many assets share, so a run writes them
// once. If two assets of one activity call disagree, both fail before anything is written for them. Between activity
// calls, the asset that claims the inks first determines them.
import type { ApiError } from '../../api/errors/errors.ts';
import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import { toPlainText } from '../../api/responses/plain-text.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { writeOptions } from '../../engine/submit/call-outcome.ts';
import type { ResponseTo } from '../../engine/submit/creation.ts';
import { fail, failRefused } from '../../failures/fail.ts';
import { toExpressionScope } from '../../language/expressions.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { SharedValue } from '../../store/runs/shared-values.ts';
import type { LogoConfig } from './decoration-config.ts';
import { decorationFailures } from './failures.ts';
import { type LogoSlot, readLogoSlots } from './logo-slots.ts';
import { type DesiredDecoration, type InkChange, planDecoration } from './plan-decoration.ts';

export async function decorateLogos(
  { logos }: { logos: readonly LogoConfig[] },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { signal } = context;
  const readSlots = createSharedReads(context);
  const outcomes = await mapBounded(
    assets,
    async (asset): Promise<DesiredDecoration | AssetResult> => {
      const slots = await readSlots(asset);
      if (!Array.isArray(slots)) return { ...slots, key: asset.key };
      const scope = toExpressionScope(asset, context.run.parameters);
      return planDecoration(asset, logos, slots, scope);
    },
    { signal },
  );
  const decorations = outcomes.filter((outcome) => 'methods' in outcome);
  const inks = await claimInks(decorations, context);
  const agreedDecorations = decorations.filter(({ asset }) => !inks.conflicts.has(asset.key));
  const writtenInks = await writeInks(agreedDecorations, inks.claimed, context);
  const write = (decoration: DesiredDecoration) => writeMethods(decoration, writtenInks, context);
  const results = await mapBounded(agreedDecorations, write, { signal });
  return [
    ...outcomes.filter((outcome) => 'outcome' in outcome),
    ...[...inks.conflicts].map(([key, message]) =>
      fail(decorationFailures.INKS_CONFLICT, key, message),
    ),
    ...results,
  ];
}

/** Returns a function that reads the slots of a model once for all assets of the activity call. */
function createSharedReads(context: NodeContext) {
  const readByModelId = new Map<string, Promise<LogoSlot[] | AssetResult>>();
  return (asset: StepAsset) => {
    const id = asset.platformIds.modelId ?? '';
    const reading = readByModelId.get(id) ?? readLogoSlots(asset, context);
    readByModelId.set(id, reading);
    return reading;
  };
}

interface ClaimedInks {
  /** Claimed inks by the id of the logo. */
  claimed: Map<string, SharedValue>;
  /** The message of each asset that fails, by its key. */
  conflicts: Map<string, string>;
}

/** Claims the inks of each logo. If two assets of the call set different inks for a logo, neither claims them. */
async function claimInks(
  decorations: readonly DesiredDecoration[],
  { store, signal }: NodeContext,
): Promise<ClaimedInks> {
  const first = new Map<string, { fingerprint: string; asset: string }>();
  const rivalByLogo = new Map<string, string>();
  for (const { asset, inks } of decorations) {
    for (const { decalId, fingerprint } of inks) {
      const firstChange = first.get(decalId) ?? { fingerprint, asset: asset.key };
      first.set(decalId, firstChange);
      if (firstChange.fingerprint !== fingerprint) rivalByLogo.set(decalId, firstChange.asset);
    }
  }
  const claimedInks = new Map<string, SharedValue>();
  await mapBounded(
    [...first].filter(([id]) => !rivalByLogo.has(id)),
    async ([id, { fingerprint, asset }]) => {
      const sharedValue = await store.sharedValues.claim({ id, fingerprint, asset });
      claimedInks.set(id, sharedValue);
      if (sharedValue.fingerprint !== fingerprint) rivalByLogo.set(id, sharedValue.asset);
    },
    { signal },
  );
  const conflicts = new Map<string, string>();
  for (const { asset, inks } of decorations) {
    const logo = inks.find(({ decalId }) => rivalByLogo.has(decalId))?.decalId;
    if (logo === undefined) continue;
    const other = rivalByLogo.get(logo);
    const otherLabel = other === asset.key ? 'other assets' : `asset ${other}`;
    const message = `this asset and ${otherLabel} set different inks for the logo ${logo}; nothing was written for this asset`;
    conflicts.set(asset.key, message);
  }
  return { claimed: claimedInks, conflicts };
}

/** Result of writing each logo's inks, by logo id: the platform's warnings, or its refusal. */
type WrittenInks = ReadonlyMap<string, readonly string[] | ApiError>;

async function writeInks(
  decorations: readonly DesiredDecoration[],
  claimedInks: ReadonlyMap<string, SharedValue>,
  context: NodeContext,
): Promise<WrittenInks> {
  const changes = new Map(
    decorations.flatMap(({ inks }) => inks.map((change) => [change.decalId, change])),
  );
  const writtenInks = new Map<string, readonly string[] | ApiError>();
  const write = async (change: InkChange) => {
    const sharedValue = claimedInks.get(change.decalId);
    if (sharedValue === undefined) return;
    const { isWritten, warnings } = sharedValue;
    const outcome = isWritten ? warnings : await writeInk(change, sharedValue, context);
    writtenInks.set(change.decalId, outcome);
  };
  await mapBounded([...changes.values()], write, { signal: context.signal });
  return writtenInks;
}

async function writeInk(
  change: InkChange,
  sharedValue: SharedValue,
  context: NodeContext,
): Promise<readonly string[] | ApiError> {
  const { decalId, body } = change;
  try {
    const request = { params: { decalId }, body };
    const response = await context.client.setDecalInks(request, writeOptions(context));
    const warnings = findInkRemarks(response, change);
    await context.store.sharedValues.finish(sharedValue, warnings);
    return warnings;
  } catch (error) {
    const refusal = findRefusal(error, itemReasons);
    if (refusal === null) throw error;
    return refusal.error;
  }
}

function findInkRemarks(
  { name, spec }: ResponseTo<'setDecalInks'>,
  { decalId, method }: InkChange,
): string[] {
  const { warnings = [], method: specMethod } = spec ?? {};
  const logo = `logo ${name === undefined ? decalId : `"${toPlainText(name)}"`}`;
  const remarks = warnings.map((warning) => `${logo}: ${toPlainText(warning)}`);
  if (specMethod && specMethod.toLowerCase() !== method?.toLowerCase())
    remarks.push(
      `${logo}: its spec line contains the method ${toPlainText(specMethod)}, which the platform does not store; ${method ? `the method set is ${method}` : 'set `method` instead'}`,
    );
  return remarks;
}

async function writeMethods(
  { asset, methods, inks }: DesiredDecoration,
  writtenInks: WrittenInks,
  context: NodeContext,
): Promise<AssetResult> {
  const { key, platformIds } = asset;
  const warnings = new Set<string>();
  for (const { decalId } of inks) {
    const outcome = writtenInks.get(decalId) ?? [];
    if ('code' in outcome) return failRefused(outcome, key);
    for (const warning of outcome) warnings.add(warning);
  }
  try {
    for (const { variantId, slotId, method } of methods) {
      const params = { modelId: platformIds.modelId ?? '', variantId, slotId };
      await context.client.setDecorationMethod({ params, body: { method } }, writeOptions(context));
    }
  } catch (error) {
    const refusal = findRefusal(error, itemReasons);
    if (refusal === null) throw error;
    return failRefused(refusal.error, key);
  }
  return { key, outcome: 'done', ...(warnings.size > 0 ? { warnings: [...warnings] } : {}) };
}
