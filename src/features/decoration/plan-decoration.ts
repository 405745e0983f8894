// Computes what is written for an asset's logos: methods that differ, by slot and variant, and inks by logo. Pure.
import { isSameName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import { type FailureReason, fail } from '../../failures/fail.ts';
import { evaluateCondition } from '../../language/condition-verdict.ts';
import { ExpressionError, type ExpressionScope } from '../../language/expressions.ts';
import { computeShortSha256 } from '../../language/hash.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { plainVariantId } from '../variants/plain-variant-id.ts';
import type { LogoConfig } from './decoration-config.ts';
import { decorationFailures } from './failures.ts';
import { checkMethod, checkSpec, type Ink, toInk } from './ink-list.ts';
import type { Logo, LogoSlot } from './logo-slots.ts';

const maxNamesShown = 8;

/** The body that sets the inks of a logo. */
type InkBody = { inks: Ink[] } | { spec: string };

export interface InkChange {
  decalId: string;
  body: InkBody;
  /** Hash of `body`. Two assets with the same hash set the same inks for a logo. */
  fingerprint: string;
  /** Method that the file sets for the logo. Null removes the method. Undefined if the file does not set a method. */
  method: string | null | undefined;
}

export interface DesiredDecoration {
  asset: StepAsset;
  methods: { variantId: string; slotId: string; method: string | null }[];
  inks: InkChange[];
}

/** Returns the methods and inks to write, or the asset's failure if a slot, a logo or a value does not fit. */
export function planDecoration(
  asset: StepAsset,
  logos: readonly LogoConfig[],
  slots: readonly LogoSlot[],
  scope: ExpressionScope,
): DesiredDecoration | AssetResult {
  const decoration: DesiredDecoration = { asset, methods: [], inks: [] };
  try {
    for (const logo of logos) {
      if (logo.when !== undefined && !evaluateCondition(logo.when, scope)) continue;
      const refusal = addLogo(logo, slots, scope, decoration);
      if (refusal !== null) return fail(refusal.failure, asset.key, refusal.message);
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return fail(error.failure, asset.key, error.message);
  }
  return decoration;
}

function addLogo(
  config: LogoConfig,
  slots: readonly LogoSlot[],
  scope: ExpressionScope,
  { asset, methods, inks }: DesiredDecoration,
): FailureReason | null {
  const fill = (text: string) => String(evaluateTemplate(text, scope));
  const { variants } = asset.platformIds;
  const slot = findSlot(config.slot, slots, variants);
  if ('failure' in slot) return slot;
  const chosenLogos = findWornLogos(slot, variants);
  if ('failure' in chosenLogos) return chosenLogos;
  const method = config.method == null ? config.method : fill(config.method).trim();
  const body = inkBodyOf(config, fill);
  const refusal = method ? checkMethod(method) : null;
  if (method === '')
    return badValueReason('the method is empty; write `method: null` to remove the method');
  if (refusal !== null) return badValueReason(`the method "${method}" ${refusal}`);
  if (typeof body === 'string') return badValueReason(body);
  for (const { variantId, decalId, method: current } of chosenLogos) {
    if (method !== undefined && !isSameMethod(method, current))
      methods.push({ variantId, slotId: slot.id, method });
    if (body === null) continue;
    const fingerprint = computeShortSha256(body);
    if (inks.some((ink) => ink.decalId === decalId && ink.fingerprint !== fingerprint)) {
      const message = `two entries of \`logos\` set different inks for the logo ${decalId} of this asset, the second in the slot "${config.slot}"; use the same inks in both entries`;
      return { failure: decorationFailures.INKS_CONFLICT, message };
    }
    inks.push({ decalId, body, fingerprint, method });
  }
  return null;
}

/** Returns the request body, null if the file sets no inks, or an error message if the platform would refuse them. */
function inkBodyOf(
  { inks, spec }: LogoConfig,
  fill: (text: string) => string,
): InkBody | string | null {
  if (spec !== undefined) {
    const text = fill(spec).trim();
    return checkSpec(text) === null
      ? { spec: text }
      : 'the spec line is empty; use `when` to exclude the asset, or write `inks: []` to remove the inks';
  }
  if (inks === undefined) return null;
  const filledInks = inks.map((ink) => toInk(ink, fill));
  const refusal = filledInks.find((ink) => typeof ink === 'string');
  if (typeof refusal === 'string') return refusal;
  const presentInks = filledInks.filter((ink) => ink !== null && typeof ink === 'object');
  if (presentInks.length === 0 && inks.length > 0)
    return 'all inks are empty; use `when` to exclude the asset, or write `inks: []` to remove the inks';
  return { inks: presentInks };
}

function findSlot(
  nameOrId: string,
  slots: readonly LogoSlot[],
  variants: readonly string[] | undefined,
): LogoSlot | FailureReason {
  const isId = createIdMatcher(nameOrId);
  const matches = slots.filter(({ id, name }) => isId(id) || isSameName(name, nameOrId));
  // Slot names may repeat, but usually only one of the slots holds a logo.
  const holding = matches.filter(({ logos }) => logos.some(createLogoTest(variants)));
  const [only, ...others] = holding.length > 0 ? holding : matches;
  if (only === undefined) {
    const names = slots.map(({ name }) => name);
    const quotedNames = names.map((name) => `"${name}"`);
    const list = formatFirst(quotedNames, maxNamesShown) || 'none';
    const hint = suggestName(nameOrId, names) ?? `its slots are ${list}`;
    const message = `its model has no slot "${nameOrId}"; ${hint}`;
    return { failure: decorationFailures.LOGO_SLOT_NOT_FOUND, message };
  }
  if (others.length === 0 || holding.length === 0) return only;
  const ids = holding.map(({ id }) => id).join(', ');
  const message = `${holding.length} slots named "${nameOrId}" hold a logo: ${ids}`;
  return { failure: decorationFailures.LOGO_SLOT_AMBIGUOUS, message };
}

/**
 * Returns the slot's logos on the chosen variants, or on all variants if no variant is chosen. Returns a failure if a
 * chosen variant has no logo in the slot, or if the slot has no logo at all.
 */
function findWornLogos(
  { name, id, logos }: LogoSlot,
  variants: readonly string[] | undefined,
): Logo[] | FailureReason {
  const chosenLogos = logos.filter(createLogoTest(variants));
  const bareVariants = variants?.filter(
    (variant) => !chosenLogos.some((logo) => isSameId(logo.variantId, variant)),
  );
  if (chosenLogos.length > 0 && (bareVariants ?? []).length === 0) return chosenLogos;
  const variantLabel =
    bareVariants === undefined
      ? 'any variant'
      : `variant ${formatFirst(bareVariants, maxNamesShown)}`;
  const message = `the slot "${name || id}" holds no logo on ${variantLabel}`;
  return { failure: decorationFailures.LOGO_NOT_FOUND, message };
}

function createLogoTest(variants: readonly string[] | undefined): (logo: Logo) => boolean {
  return ({ variantId }) => variants?.some((id) => isSameId(id, variantId)) ?? true;
}

function isSameId(a: string, b: string): boolean {
  return plainVariantId(a) === plainVariantId(b);
}

/** Ignores case, as the platform does for listed methods. */
function isSameMethod(desiredMethod: string | null, currentMethod: string | null): boolean {
  return (desiredMethod ?? '').toLowerCase() === (currentMethod ?? '').toLowerCase();
}

function badValueReason(message: string): FailureReason {
  return { failure: decorationFailures.DECORATION_VALUE, message };
}
