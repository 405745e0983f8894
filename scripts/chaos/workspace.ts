// The workspace of a round: its API key, and what exists before the runs start.
import { createHash } from 'node:crypto';
import { materialOf } from './pipelines.ts';
import { multiCameraTemplate, type RoundPlan } from './plan.ts';
import type { Platform } from './platform.ts';

/** Returns the API key of a round. It is derived from the seed, so that the search for leaks has no false matches. */
export function apiKeyOf(seed: number): string {
  const hex = createHash('sha256').update(`chaos ${seed}`).digest('hex');
  return `svc_${hex.slice(0, 8)}_${hex.slice(8, 56)}`;
}

/** Creates the materials and the template that the pipelines need. */
export async function seedWorkspace(platform: Platform, { pipelines }: RoundPlan): Promise<void> {
  for (const pipeline of pipelines) {
    const red = { name: materialOf(pipeline), pantoneCode: '186 C', hex: '#c8102e' };
    await platform.api('/materials/pantone', red);
  }
  const bookmarks = ['Front', 'Side', 'Back'].map((name, index) => ({
    id: name.toLowerCase(),
    name,
    yawDegrees: 60 * index,
  }));
  await platform.set('templates', { name: multiCameraTemplate, bookmarks });
}
