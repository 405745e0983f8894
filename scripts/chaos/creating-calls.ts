// The creating calls of each kind of pipeline. Runs are terminated or reset while one of these calls is in flight.
import type { PipelineKind } from './plan.ts';

const requests = {
  createJob: /^POST \/api\/v1\/jobs$/,
  upload: /^PUT \/(?!api\/)/,
  confirmJobUploads: /^POST \/api\/v1\/jobs\/[^/]+\/confirm-uploads$/,
  createProjects: /^POST \/api\/v1\/projects$/,
  createRenders: /^POST \/api\/v1\/renders$/,
  createColorwayBatch: /^POST \/api\/v1\/colorway-batches$/,
  exportProductionFile: /^POST \/api\/v1\/models\/[^/]+\/production-files\/export$/,
  createProps: /^POST \/api\/v1\/props$/,
  createDecals: /^POST \/api\/v1\/decals$/,
  createMaterial: /^POST \/api\/v1\/materials$/,
  confirmItem: /^POST \/api\/v1\/(props|decals|materials)\/[^/]+\/confirm$/,
};

export type CreatingCall = keyof typeof requests;

/** Where a call is held: on its way to the platform (`before`), or on the way back with its response (`after`). */
export type CallStage = 'before' | 'after';

export function matchesCall(call: CreatingCall, method: string, path: string): boolean {
  return requests[call].test(`${method} ${path}`);
}

const modelCalls = ['createJob', 'upload', 'confirmJobUploads'] as const;
const renderCalls = [...modelCalls, 'createProjects', 'createRenders'] as const;

/** The creating calls that a pipeline of each kind sends. */
export const callsOf: Readonly<Record<PipelineKind, readonly [CreatingCall, ...CreatingCall[]]>> = {
  stills: renderCalls,
  several: renderCalls,
  sharedFolder: renderCalls,
  colorway: [...renderCalls, 'createColorwayBatch'],
  sheets: [...modelCalls, 'createColorwayBatch', 'exportProductionFile'],
  library: ['createProps', 'createDecals', 'createMaterial', 'upload', 'confirmItem'],
};
