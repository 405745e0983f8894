// Cameras and lights of production views.
import type { CaptureMode } from 'renderline/api/operations/production';
import type { Bookmark, TemplateLook } from '../drawing/templates.ts';
import type { CloseUpSide, ViewName } from '../state/production-records.ts';

/** Side length of a view in pixels: about 280 per printed inch of the largest view, and 170 of a close-up. */
export const viewPixels = 1000;

const yaw: Readonly<Record<ViewName, number>> = { front: 0, back: 180, left: 90, right: -90 };

/** Creates a camera at right angles to a side. Its long lens shows almost no perspective. */
export function viewCamera(side: CloseUpSide): Bookmark {
  const [yawDegrees, pitchDegrees] =
    side === 'above' ? [0, 90] : side === 'below' ? [0, -90] : [yaw[side], 0];
  return { name: side, yawDegrees, pitchDegrees, fovDegrees: 12, margin: 0.08 };
}

const white = '#ffffff';
const cameras = (['front', 'back', 'left', 'right'] as const).map(viewCamera);

const lit: TemplateLook = {
  name: 'Production, lit',
  description: 'Studio light on white.',
  bookmarks: cameras,
  shots: [],
  key: { yawDegrees: 30, pitchDegrees: 45, color: white, intensity: 1.6 },
  fill: { yawDegrees: -40, pitchDegrees: 25, color: white, intensity: 0.7 },
  rim: { yawDegrees: 170, pitchDegrees: 35, color: white, intensity: 0.5 },
  sky: white,
  horizon: '#d9dbde',
  ground: '#b0b0b0',
  ambient: 0.62,
  exposure: 1,
  backdrop: { top: white, bottom: white, floor: null, shadow: 0 },
};

const flat: TemplateLook = {
  ...lit,
  name: 'Production, flat',
  description: 'True material colour without light.',
  flat: true,
};

export function productionLookOf(mode: CaptureMode): TemplateLook {
  return mode === 'flat' ? flat : lit;
}

/** Smaller than views, since clients wait for previews and previews need not be to scale. */
export const previewPixels = 600;

/** The look of pictures for variants without captures. */
export const previewLook: TemplateLook = {
  ...lit,
  name: 'Production, preview',
  bookmarks: [{ name: 'Main', yawDegrees: 32, pitchDegrees: 18, fovDegrees: 26, margin: 0.1 }],
};
