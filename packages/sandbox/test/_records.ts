// Stored records that contain only the required fields.
import type { PropRecord } from '../src/state/library-records.ts';
import type { CaptureRecord } from '../src/state/production-records.ts';
import type {
  InspectedModelFile,
  ModelRecord,
  OutputRecord,
  RenderJobRecord,
} from '../src/state/records.ts';

/** A valid file that was uploaded at 1,000. */
export const uploadedFile: InspectedModelFile = {
  bytes: 700,
  sha256: 'aa',
  uploadedAt: 1000,
  variants: [],
  materials: ['body'],
};

/** A model without a file. Its processing would take 50 ms. */
export function modelRecord(patch: Partial<ModelRecord> = {}): ModelRecord {
  return {
    id: 'm1',
    name: 'chair',
    fileType: 'glb',
    category: 'seating',
    createdAt: 500,
    uploadKey: 'models/m1/source.glb',
    processMs: 50,
    ...patch,
  };
}

/** A job that is dispatched at 1,100 and ends at 1,200. */
export function renderRecord(patch: Partial<RenderJobRecord> = {}): RenderJobRecord {
  return {
    id: 'r1',
    batchId: 'b1',
    projectId: 'p1',
    settings: {},
    dispatchAt: 1100,
    endAt: 1200,
    outputIds: ['o1', 'o2'],
    ...patch,
  };
}

export function outputRecord(patch: Partial<OutputRecord> = {}): OutputRecord {
  return {
    id: 'o1',
    jobId: 'r1',
    name: 'chair - Front',
    modelId: 'm1',
    width: 1920,
    height: 1080,
    format: 'PNG',
    ...patch,
  };
}

export function propRecord(patch: Partial<PropRecord> = {}): PropRecord {
  return {
    id: 'prop1',
    name: 'vase',
    createdAt: 500,
    source: 'uploaded',
    fileType: 'glb',
    uploadKey: 'props/prop1/source.glb',
    processMs: 50,
    ...patch,
  };
}

/** A job that starts at 1,000 and ends at 1,200. */
export function captureRecord(patch: Partial<CaptureRecord> = {}): CaptureRecord {
  return {
    id: 'c1',
    jobId: 'cj1',
    modelId: 'm1',
    variantId: 'v1',
    mode: 'flat',
    appearanceKey: 'as it was',
    startedAt: 1000,
    endAt: 1200,
    ...patch,
  };
}
