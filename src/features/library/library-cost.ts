// Estimates the requests of library imports. Pure.
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import { kindOf, type LibraryKind } from './library-kinds.ts';

/** Typical processing time: materials take one to two minutes. */
export const librarySeconds = 90;
/** A material is polled every five seconds for `librarySeconds`. */
const pollsPerMaterial = 18;
const pollsPerProp = 2;

export function countImportRequests(found: StepWork['found'], batch: number): Requests {
  const { prop, decal, material } = countByKind(found);
  return {
    createProps: Math.ceil(prop / batch),
    confirmProp: prop,
    createDecals: Math.ceil(decal / batch),
    confirmDecal: decal,
    createMaterial: material,
    confirmMaterial: material,
  };
}

/** Counts the polls of props and materials. Decals need none, because they are ready once they are confirmed. */
export function libraryPollRequests(found: StepWork['found']): Requests {
  const { prop, material } = countByKind(found);
  return {
    checkPropStatus: pollsPerProp * Math.ceil(prop / 100),
    checkMaterialStatus: pollsPerMaterial * Math.ceil(material / 100),
  };
}

/** Number of assets per kind of item. */
function countByKind(found: StepWork['found']): Record<LibraryKind, number> {
  const items = { prop: 0, decal: 0, material: 0 };
  for (const { source } of found) items[kindOf(source)] += 1;
  return items;
}
