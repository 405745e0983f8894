// Thumbnails of props and materials, drawn on first request.

import type { Sandbox } from '../context/sandbox.ts';
import type { FoundFile } from '../context/storage-location.ts';
import { templateLooks } from '../drawing/templates.ts';
import type { MaterialRecord, PropRecord } from '../state/library-records.ts';
import { propStatus } from '../status/library-items.ts';
import { materialStatus } from '../status/materials.ts';
import { buildMaterialBall } from './material-ball.ts';
import { materialLook } from './material-look.ts';

const side = 320;

type Subject = {
  sha256: string;
  fileType: string;
  modelName: string;
  read: () => Promise<Uint8Array>;
};

async function drawThumbnail(sandbox: Sandbox, subject: Subject): Promise<FoundFile | undefined> {
  const [look] = templateLooks;
  const [bookmark] = look?.bookmarks ?? [];
  if (!look || !bookmark) return undefined;
  const { file, bytes } = await sandbox.pictures.draw({
    ...subject,
    look,
    bookmark: bookmark.name,
    width: side,
    height: side,
    format: 'PNG',
  });
  return { path: sandbox.pictures.path(file), bytes };
}

export async function drawPropThumbnail(
  sandbox: Sandbox,
  prop: PropRecord,
): Promise<FoundFile | undefined> {
  if (propStatus(prop, sandbox.options.clock()) !== 'READY') return undefined;
  return drawThumbnail(sandbox, {
    sha256: prop.file?.sha256 ?? prop.id,
    fileType: (prop.file && prop.fileType) ?? '',
    modelName: prop.name,
    read: () => sandbox.files.read(prop.uploadKey),
  });
}

/** A ball with the material; undefined unless the material is ready. */
export async function drawMaterialThumbnail(
  sandbox: Sandbox,
  material: MaterialRecord,
): Promise<FoundFile | undefined> {
  if (materialStatus(material, sandbox.options.clock()) !== 'ready') return undefined;
  const look = materialLook(sandbox, material);
  return drawThumbnail(sandbox, {
    sha256: look.key,
    fileType: 'glb',
    modelName: material.name,
    read: () => buildMaterialBall(look),
  });
}
