import type { LogoInks, PantoneMaterial } from 'renderline/api/operations/decoration';
import { normalizePantoneCode, pantoneCodeForm } from 'renderline/pantone/pantone-code';
import type { z } from 'zod';
import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail, refuseInput } from '../http/failure.ts';
import { type InkSpec, maxInkNameLength, maxInks, parseInkSpec } from '../pantone/inks.ts';
import { toListedSpelling } from '../pantone/methods.ts';
import { getChosenVariants, getProductionModel } from '../production/chosen-variants.ts';
import type { DecalRecord, InkRecord, MaterialRecord } from '../state/library-records.ts';
import { findSlotLogo } from '../variants/variants.ts';
import { requireApiPlan } from '../workspace/access.ts';
import { toLogoAssignment } from './variants.ts';

function decalOf(sandbox: Sandbox, decalId: string): DecalRecord {
  requireApiPlan(sandbox);
  return requireRecord(sandbox.store.decals, decalId, 'decal');
}

function storedCodeOf(location: string, code: string): string {
  return normalizePantoneCode(code) ?? refuseInput(`${location}: "${code}" ${pantoneCodeForm}.`);
}

/** Returns the inks of a spec line, within the limits of an ink list. @throws ApiFailure VALIDATION_ERROR */
function parseBoundedSpec(line: string): InkSpec {
  const spec = parseInkSpec(line);
  if (spec.inks.length > maxInks) {
    refuseInput(`spec: ${spec.inks.length} inks; the maximum is ${maxInks}.`);
  }
  const long = spec.inks.find(({ name }) => name.length > maxInkNameLength);
  if (long) {
    refuseInput(
      `spec: "${long.name}" is read as the name of an ink, but is longer than ${maxInkNameLength} characters.`,
    );
  }
  return spec;
}

function keepInks(
  { store }: Sandbox,
  decal: DecalRecord,
  inks: readonly InkRecord[],
  spec?: InkSpec,
): z.input<typeof LogoInks> {
  store.decals.update(decal, { inks });
  return {
    id: decal.id,
    name: decal.name,
    inks: [...inks],
    spec: spec && { ...spec, inks: [...spec.inks], warnings: [...spec.warnings] },
  };
}

function toPantoneMaterial({ id, name, pantone }: MaterialRecord): z.input<typeof PantoneMaterial> {
  return { id, name, pantoneCode: pantone?.code ?? null, hex: pantone?.hex ?? null };
}

export const decoration = {
  setDecorationMethod: ({ params, body }, sandbox) => {
    const { slotId } = params;
    const model = getProductionModel(sandbox, params.modelId);
    const [variant] = getChosenVariants(sandbox, model, [params.variantId]);
    const variantId = variant?.id ?? '';
    const logo =
      findSlotLogo(sandbox, { modelId: model.id, variantId, slotId }) ??
      fail('NOT_FOUND', `Slot ${slotId} has no logo on variant ${params.variantId}.`);
    const method = body.method === null || body.method === '' ? undefined : body.method;
    const decorationMethod = method === undefined ? undefined : toListedSpelling(method);
    sandbox.store.slotLogos.update(logo, { decorationMethod });
    return toLogoAssignment(sandbox, logo);
  },

  setDecalInks: ({ params, body }, sandbox) => {
    const decal = decalOf(sandbox, params.decalId);
    if (body.spec !== undefined) {
      const spec = parseBoundedSpec(body.spec);
      return keepInks(sandbox, decal, spec.inks, spec);
    }
    const inks = (body.inks ?? []).map(({ name, pantoneCode, hex }, index) => ({
      name: name ?? '',
      pantoneCode: pantoneCode ? storedCodeOf(`inks[${index}].pantoneCode`, pantoneCode) : null,
      hex: hex ?? null,
    }));
    return keepInks(sandbox, decal, inks);
  },

  setDecalPantoneCodes: ({ params, body }, sandbox) => {
    const decal = decalOf(sandbox, params.decalId);
    const inks = body.codes.map((code, index) => ({
      name: '',
      pantoneCode: storedCodeOf(`codes[${index}]`, code),
      hex: null,
    }));
    return keepInks(sandbox, decal, inks);
  },

  createPantoneMaterial: ({ body, nowMs }, sandbox) => {
    requireApiPlan(sandbox);
    const { store } = sandbox;
    const code = storedCodeOf('pantoneCode', body.pantoneCode);
    const material = store.materials.insert({
      id: store.newId('material'),
      name: body.name,
      type: 'flat',
      textures: {},
      createdAt: nowMs,
      processMs: 0,
      flatHex: body.hex,
      pantone: { code, hex: body.hex },
    });
    return toPantoneMaterial(material);
  },

  setMaterialPantone: ({ params, body }, sandbox) => {
    requireApiPlan(sandbox);
    const { store } = sandbox;
    const material = requireRecord(sandbox.store.materials, params.materialId, 'material');
    const { pantoneCode, hex } = body;
    const pantone =
      pantoneCode && hex ? { code: storedCodeOf('pantoneCode', pantoneCode), hex } : undefined;
    store.materials.update(material, { pantone });
    return toPantoneMaterial(material);
  },
} satisfies Partial<Handlers>;
