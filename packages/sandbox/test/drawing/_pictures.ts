// Small scenes to draw, and helpers to inspect pictures.
import sharp from 'sharp';
import { DrawableModel } from '../../src/drawing/drawable-model.ts';
import type { RawPicture } from '../../src/drawing/pictures/picture.ts';
import { type TemplateLook, templateLooks } from '../../src/drawing/templates.ts';
import { type Authored, authorSquare, square, toGlb } from '../_author.ts';

export type Pixel = readonly [number, number, number];

/** A look with white light from all directions. The camera looks straight from the front, on black. */
export const plainLook: TemplateLook = {
  name: 'Plain',
  description: '',
  bookmarks: [
    { name: 'Front', yawDegrees: 0, pitchDegrees: 0, fovDegrees: 20, margin: 0.5 },
    { name: 'Back', yawDegrees: 180, pitchDegrees: 0, fovDegrees: 20, margin: 0.5 },
  ],
  shots: [],
  key: { yawDegrees: 0, pitchDegrees: 0, color: '#000000', intensity: 0 },
  fill: { yawDegrees: 0, pitchDegrees: 0, color: '#000000', intensity: 0 },
  rim: { yawDegrees: 0, pitchDegrees: 0, color: '#000000', intensity: 0 },
  sky: '#ffffff',
  horizon: '#ffffff',
  ground: '#ffffff',
  ambient: 0.65,
  exposure: 1,
  backdrop: { top: '#000000', bottom: '#000000', floor: null, shadow: 0 },
};

export function lookNumber(index: number): TemplateLook {
  const look = templateLooks[index];
  if (look === undefined) throw new Error(`There is no look ${index}.`);
  return look;
}

/** The changed square of `authorSquare` as a model to draw. */
export async function squareModel(
  change: (authored: Authored) => void | Promise<void>,
  extensions: Parameters<typeof toGlb>[1] = [],
): Promise<DrawableModel> {
  const authored = authorSquare();
  await change(authored);
  return DrawableModel.read(await toGlb(authored.document, extensions), 'glb');
}

export type Rgba = readonly [number, number, number, number];

/** Sets a linear colour for the square. */
export function paint(color: Rgba): (authored: Authored) => void {
  return ({ material }) => {
    material.setBaseColorFactor([...color]);
  };
}

/** Adds a second square `z` metres in front of (or behind) the first. @returns its material */
export function addSquare({ document }: Authored, z: number, color: Rgba): Authored['material'] {
  const material = document
    .createMaterial('second')
    .setBaseColorFactor([...color])
    .setMetallicFactor(0);
  const primitive = square(document).setMaterial(material);
  const node = document.createNode().setMesh(document.createMesh().addPrimitive(primitive));
  document
    .getRoot()
    .listScenes()[0]
    ?.addChild(node.setTranslation([0, 0, z]));
  return material;
}

export function pixelAt({ data, width }: RawPicture, x: number, y: number): Pixel {
  const at = (y * width + x) * 4;
  return [data[at] ?? -1, data[at + 1] ?? -1, data[at + 2] ?? -1];
}

export function centerOf(picture: RawPicture): Pixel {
  return pixelAt(picture, picture.width >> 1, picture.height >> 1);
}

/** Share of the pixels that pass the test. */
export function shareOf(picture: RawPicture, test: (pixel: Pixel) => boolean): number {
  let count = 0;
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) if (test(pixelAt(picture, x, y))) count += 1;
  }
  return count / (picture.width * picture.height);
}

export function isBlack([red, green, blue]: Pixel): boolean {
  return red + green + blue === 0;
}

/** The dominant channel: 'red', 'green', 'blue', or else 'grey'. */
export function hueOf([red, green, blue]: Pixel): string {
  const max = Math.max(red, green, blue);
  const others = [red, green, blue].filter((value) => value !== max);
  if (others.length < 2 || max < Math.max(...others) * 1.5) return 'grey';
  return max === red ? 'red' : max === green ? 'green' : 'blue';
}

/** Decoded r, g and b at the centre of an encoded picture. */
export async function decodedCenter(bytes: Buffer): Promise<Pixel> {
  const { data, info } = await sharp(bytes)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const at = ((info.height >> 1) * info.width + (info.width >> 1)) * info.channels;
  return [data[at] ?? -1, data[at + 1] ?? -1, data[at + 2] ?? -1];
}
