// The contact sheet of a demo: every picture on one page, and what failed.
import { join } from 'node:path';
import type { RunShape } from '../runs/run-shape.ts';
import type { DemoFolder } from './demo-folder.ts';

export interface Sheet {
  html: string;
  png: string;
}

export async function makeSheet(folder: DemoFolder, shape: RunShape): Promise<Sheet> {
  const { writeContactSheet } = await import('../../report/contact-sheet.ts');
  const pictures = shape.files.map(({ key, path, width, height }) => ({
    key,
    path: join(folder.pictures, path),
    // A name that only repeats the key says nothing.
    caption: path.replace(/\.\w+$/, '') === key ? undefined : path,
    width,
    height,
  }));
  const failed = shape.failures.map(({ key, code, message }) => ({
    key,
    path: null,
    width: 0,
    height: 0,
    failed: `${code}: ${message}`,
  }));
  const items = [...pictures, ...failed].sort((a, b) => (a.key < b.key ? -1 : 1));
  const title = `${shape.pipeline}: ${shape.run ?? ''}`;
  const { html, png } = await writeContactSheet(folder.folder, { title, items });
  return { html, png };
}
