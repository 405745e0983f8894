// Inspects model files for processing: the reason to fail, the variants and the materials.
import { lookAtBytes, lookAtModel } from 'renderline/glb/look';

export interface Inspection {
  /** Why processing fails; absent when it succeeds. */
  readonly problem?: string;
  readonly variantNames: readonly string[];
  /** In file order; null = unnamed. */
  readonly materialNames: readonly (string | null)[];
}

/** The result for a file that was not looked at, or refused. */
export const nothingFound: Inspection = { variantNames: [], materialNames: [] };

/** Looks at a stored file, or at its content when that is in memory. The path ends with the file type. */
export async function inspectModel(
  path: string,
  fileType: string,
  content: Buffer | undefined,
): Promise<Inspection> {
  const look = content ? await lookAtBytes(content, fileType) : await lookAtModel(path);
  if (look.verdict === 'reject') return { problem: look.message, ...nothingFound };
  return { variantNames: look.variants, materialNames: look.materials };
}
