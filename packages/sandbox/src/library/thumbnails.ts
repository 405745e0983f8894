// Thumbnails of props and materials, drawn on first request.

import type { Sandbox } from '../context/sandbox.ts';
import type { ServedFile } from '../context/storage-location.ts';
import { repeatTexture } from '../demo/mesh.ts';
import { encodeProduct } from '../demo/product.ts';
import { createLathe } from '../demo/shapes.ts';
import { findBookmark, templateLooks } from '../drawing/templates.ts';
import type { PictureSpec } from '../pictures/pictures.ts';
import type { MaterialRecord, PropRecord } from '../state/library-records.ts';
import { propStatusOf } from '../status/library-items.ts';
import { materialStatusOf } from '../status/materials.ts';
import { materialLookOf } from './material-look.ts';

const side = 320;

type Subject = Pick<PictureSpec, 'modelId' | 'fileType' | 'name' | 'read' | 'swaps'>;

async function drawThumbnail(sandbox: Sandbox, subject: Subject): Promise<ServedFile> {
  const [look] = templateLooks;
  const { file, bytes } = await sandbox.pictures.draw({
    ...subject,
    look,
    bookmark: findBookmark(look).name,
    width: side,
    height: side,
    format: 'PNG',
  });
  return { path: sandbox.pictures.path(file), bytes };
}

export async function drawPropThumbnail(
  sandbox: Sandbox,
  prop: PropRecord,
): Promise<ServedFile | undefined> {
  if (propStatusOf(prop, sandbox.options.clock()) !== 'READY') return undefined;
  return drawThumbnail(sandbox, {
    modelId: prop.file?.sha256 ?? prop.id,
    fileType: (prop.file && prop.fileType) ?? '',
    name: prop.name,
    read: () => sandbox.files.read(prop.uploadKey),
  });
}

/** Creates a ball of radius 1. Its texture repeats twice around it. */
function createBall(): Promise<Uint8Array> {
  const outline = Array.from({ length: 33 }, (_, ring): [number, number] => {
    const polar = (ring / 32) * Math.PI;
    return [Math.sin(polar), -Math.cos(polar)];
  });
  const finish = { name: 'ball', color: '#ffffff', roughness: 0.6 };
  const part = { name: 'ball', mesh: repeatTexture(createLathe([outline]), [2, 1]), finish };
  return encodeProduct({ name: 'ball', parts: [part] });
}

/** Draws a ball with the material. Returns undefined unless the material is ready. */
export async function drawMaterialThumbnail(
  sandbox: Sandbox,
  material: MaterialRecord,
): Promise<ServedFile | undefined> {
  if (materialStatusOf(material, sandbox.options.clock()) !== 'ready') return undefined;
  const look = materialLookOf(sandbox, material);
  return drawThumbnail(sandbox, {
    modelId: 'ball',
    fileType: 'glb',
    name: material.name,
    read: createBall,
    swaps: [{ slot: 0, look }],
  });
}
