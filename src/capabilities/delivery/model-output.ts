// Formats in which the platform gives the file of a model.
import { z } from 'zod';
import type { Json } from '../../plan/types.ts';
import type { OutputRef } from '../renders/refs.ts';

export const ModelFormat = z.enum(['glb', 'usdz', 'source']);
export type ModelFormat = z.output<typeof ModelFormat>;

/** The platform's own default. */
const defaultFormats: readonly ModelFormat[] = ['glb'];

export interface ModelOutput extends OutputRef {
  format: ModelFormat;
  /** Hash (hex) of the upload, where it is known: the source must be the same. */
  sha256?: string;
}

/** Formats in which a node delivers models; none where it delivers other things. */
export function formatsOf({
  what,
  formats = defaultFormats,
}: {
  what: readonly string[];
  formats?: readonly ModelFormat[] | undefined;
}): readonly ModelFormat[] {
  return what.includes('models') ? [...new Set(formats)] : [];
}

/** What decides about the files of an export of models beside its other fields; null for other exports. */
export function formatsDecide(config: Parameters<typeof formatsOf>[0]): Json | null {
  const formats = formatsOf(config);
  return formats.length === 0 ? null : { formats: [...formats] };
}

export function isModelOutput(output: OutputRef): output is ModelOutput {
  return 'format' in output;
}
