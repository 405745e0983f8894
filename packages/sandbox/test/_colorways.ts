// Helpers that create colorway batches.
import type { TestSandbox } from './_test-sandbox.ts';

export interface Job {
  id: string;
  batchId: string;
  colorwayDefinitionId: string;
  baseModelId: string;
  status: string;
  retryCount: number;
  errorMessage: string | null;
}

export interface Batch {
  id: string;
  status: string;
  totalJobs: number;
  completedJobs: number;
  failedJobs: number;
  jobs: Job[];
}

export interface Created {
  batchId: string;
  totalJobs: number;
  warnings: { modelId: string; modelName: string; message: string }[];
}

export interface Rule {
  matchText: string;
  matchMode: string;
  materialId: string;
}

/** A rule that swaps every slot whose name contains "body", like that of `triangleGlb`. */
export const bodyRule = (materialId: string): Rule => ({
  matchText: 'body',
  matchMode: 'contains',
  materialId,
});

export async function createBatch(
  sandbox: TestSandbox,
  swapRules: readonly Rule[],
  modelScope: object = { type: 'all' },
): Promise<Created> {
  const made = await sandbox.call<Created>('POST /colorway-batches', { swapRules, modelScope });
  if (made.status !== 201) throw new Error(`No batch was made: ${made.text}`);
  return made.body;
}

export async function readBatch(sandbox: TestSandbox, batchId: string): Promise<Batch> {
  return (await sandbox.call<Batch>(`GET /colorway-batches/${batchId}`)).body;
}

export async function variantNames(sandbox: TestSandbox, modelId: string): Promise<string[]> {
  const { body } = await sandbox.call<{ variants: { name: string }[] }>(
    `GET /models/${modelId}/variants`,
  );
  return body.variants.map(({ name }) => name);
}
