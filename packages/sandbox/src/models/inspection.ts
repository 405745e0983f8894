// Inspects model files for processing: a reason to fail, or the variants and materials.
import { lookAtBytes, lookAtModel } from 'renderline/glb/look';

export interface Inspection {
  /** Why processing fails; absent on success. */
  readonly problem?: string;
  readonly variantNames: readonly string[];
  /** In file order; null = unnamed. */
  readonly materialNames: readonly (string | null)[];
}

/** The result for a file that was not inspected or was refused. */
export const nothingFound: Inspection = { variantNames: [], materialNames: [] };

/** Inspects a stored file, or its content if that is in memory. The path ends with the file type. */
export async function inspectModel(
  path: string,
  fileType: string,
  content: Buffer | undefined,
): Promise<Inspection> {
  const look = content ? await lookAtBytes(content, fileType) : await lookAtModel(path);
  if (look.verdict === 'reject') return { problem: look.message, ...nothingFound };
  return { variantNames: look.variants, materialNames: look.materials };
}
