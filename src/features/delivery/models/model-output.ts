// Formats that the platform provides for the file of a model.
import { z } from 'zod';
import type { Json } from '../../../plan/types.ts';
import type { OutputRef } from '../../renders/platform-ids.ts';

export const ModelFormat = z.enum(['glb', 'usdz', 'source']);
export type ModelFormat = z.output<typeof ModelFormat>;

/** Default formats of an export, the same as on the platform. */
const defaultFormats: readonly ModelFormat[] = ['glb'];

export interface ModelOutput extends OutputRef {
  format: ModelFormat;
  /** SHA-256 (hex) of the upload, if known. The downloaded source must match. */
  sha256?: string;
}

type Models = { what: readonly string[]; formats?: readonly ModelFormat[] | undefined };

/** Returns the formats that a node delivers models in. Returns none if the node delivers something else. */
export function formatsOf({ what, formats = defaultFormats }: Models): readonly ModelFormat[] {
  return what.includes('models') ? [...new Set(formats)] : [];
}

/** Returns the part of an export's recipe that comes from `formats`, or null if the export delivers no models. */
export function formatsRecipeOf(config: Models): Json | null {
  const formats = formatsOf(config);
  return formats.length === 0 ? null : { formats: [...formats] };
}

export function isModelOutput(output: OutputRef): output is ModelOutput {
  return 'format' in output;
}
