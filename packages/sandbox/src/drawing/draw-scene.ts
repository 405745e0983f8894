// Draws a scene band by band: visibility by z-buffer, then light, then transparent triangles.
import type { Scene } from '../scene/scene.ts';
import { createBackdrop } from './backdrop.ts';
import { frameCamera } from './camera.ts';
import type { DepthMap } from './light/depth-map.ts';
import type { FloorShadow } from './light/floor-shadow.ts';
import { prepareLighting } from './light/lighting.ts';
import type { DrawMaterial } from './materials/material.ts';
import { createPicture, type PictureDepth, type RawPicture } from './pictures/picture.ts';
import {
  type Band,
  createBand,
  type HoleTest,
  projectScene,
  rasterTriangle,
  type TriangleVisitor,
  visitTriangle,
} from './raster.ts';
import {
  blendTriangle,
  gatherFromSamples,
  resolveBand,
  separateBackdrop,
  spreadToSamples,
  writeRows,
} from './resolve-samples.ts';
import { createShader } from './shader.ts';
import type { Bookmark, TemplateLook } from './templates.ts';
import { cullTriangles, orderTriangles, partOfTriangle } from './triangle-order.ts';

/** Samples per pixel side, for smooth edges. Each visible triangle is still shaded once per pixel. */
const perPixel = 2;
/** Maximum number of samples in memory. Larger pictures are drawn in several bands. */
const maxBandSamples = 2_000_000;

export type SceneDrawing = {
  readonly scene: Scene;
  readonly look: TemplateLook;
  readonly bookmark: Bookmark;
  readonly width: number;
  readonly height: number;
  readonly depth: PictureDepth;
  /** Points that the camera frames. If absent, all points of the scene. */
  readonly framed?: Float32Array | undefined;
  /** Material of each part. */
  readonly materials: readonly DrawMaterial[];
  readonly shadows: DepthMap;
  readonly floor: FloorShadow;
};

/** Draws a scene with at least one triangle. The same input always results in the same bytes. */
export function drawScene(drawing: SceneDrawing): RawPicture {
  const { scene, look, bookmark, width, height, shadows } = drawing;
  const picture = createPicture(width, height, drawing.depth);
  const framed = drawing.framed ?? scene.positions;
  const camera = frameCamera(framed, bookmark, width / height);
  const projection = projectScene(scene, camera, width, height);
  const partOf = partOfTriangle(scene);
  const materialOf = (triangle: number): DrawMaterial =>
    drawing.materials[partOf[triangle] as number] as DrawMaterial;
  const lighting = prepareLighting(look, bookmark);
  const frame = { scene, camera, width, height };
  const shader = createShader({ ...frame, projection, lighting, shadows, materialOf });
  const backdrop = createBackdrop({ ...frame, backdrop: look.backdrop, shadow: drawing.floor });
  const order = orderTriangles(scene, projection, (triangle) => materialOf(triangle).blended);
  const isSolid: HoleTest = (triangle, x, y) =>
    shader.alphaAt(triangle, x, y) >= materialOf(triangle).alphaCutoff;

  const rows = Math.min(height, Math.max(1, Math.floor(maxBandSamples / (width * perPixel ** 2))));
  const band = createBand(width, rows, perPixel);
  const colors = new Float32Array(width * rows * 3);
  let samples: Float32Array | undefined;
  for (let firstRow = 0; firstRow < height; firstRow += rows) {
    const count = Math.min(rows, height - firstRow);
    const currentBand: Band = { ...band, firstRow: firstRow * perPixel, rows: count * perPixel };
    currentBand.depth.fill(0);
    currentBand.triangle.fill(-1);
    const inRows = (list: Uint32Array): Uint32Array =>
      cullTriangles(scene, projection, camera.near, list, firstRow, firstRow + count);
    const visit = (list: Uint32Array, act: TriangleVisitor): void => {
      for (const triangle of list) {
        const cullBack = !materialOf(triangle).doubleSided;
        visitTriangle(scene, projection, camera, picture, triangle, cullBack, act);
      }
    };
    visit(inRows(order.solid), (triangle, corners) => {
      const holes = materialOf(triangle).alphaMode === 'MASK' ? isSolid : null;
      rasterTriangle(currentBand, triangle, corners, holes);
    });
    resolveBand(currentBand, shader, backdrop, colors);
    const blended = inRows(order.blended);
    if (blended.length > 0) {
      const layers = (samples ??= new Float32Array(band.depth.length * 3));
      spreadToSamples(currentBand, colors, layers);
      visit(blended, (triangle, corners) => {
        blendTriangle(currentBand, triangle, corners, shader, layers);
      });
      gatherFromSamples(currentBand, layers, colors);
    }
    const alphas = look.backdrop.isTransparent ? separateBackdrop(currentBand, colors) : undefined;
    writeRows(picture, colors, firstRow, count, alphas);
  }
  return look.backdrop.isTransparent ? { ...picture, hasAlpha: true } : picture;
}
