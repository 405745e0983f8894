// Inspects model files for processing. Finds a reason to fail, or the variants and materials.
import { inspectBytes, inspectModelFile } from 'renderline/glb/inspect-model';

export interface Inspection {
  /** Why processing fails. Absent on success. */
  readonly problem?: string;
  readonly variantNames: readonly string[];
  /** Names of the materials in file order. Null for an unnamed material. */
  readonly materialNames: readonly (string | null)[];
}

/** Inspection of a file that was refused or not inspected. */
export const emptyInspection: Inspection = { variantNames: [], materialNames: [] };

/** Inspects a stored file, or its content if that is in memory. The path ends with the file type. */
export async function inspectModel(
  path: string,
  fileType: string,
  content: Buffer | undefined,
): Promise<Inspection> {
  const look = content ? await inspectBytes(content, fileType) : await inspectModelFile(path);
  if (look.verdict === 'reject') return { problem: look.message, ...emptyInspection };
  return { variantNames: look.variants, materialNames: look.materials };
}
