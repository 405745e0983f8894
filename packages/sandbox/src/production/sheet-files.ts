// PDF files on disk: created on first request from the stored data, then kept.
import { randomUUID } from 'node:crypto';
import { rename, stat, writeFile } from 'node:fs/promises';
import type { Pictures } from '../pictures/pictures.ts';
import type { Files } from '../state/files.ts';
import { fileKey } from './file-key.ts';
import { makePdf } from './pdf/document.ts';
import type { ProductionFileRecord } from './records.ts';

export interface PdfFile {
  readonly path: string;
  readonly bytes: number;
}

export class SheetFiles {
  readonly #files: Files;
  readonly #pictures: Pictures;
  readonly #making = new Map<string, Promise<PdfFile>>();

  constructor(files: Files, pictures: Pictures) {
    this.#files = files;
    this.#pictures = pictures;
  }

  /** The PDF of a file; concurrent requests share one build. */
  pdf(file: ProductionFileRecord): Promise<PdfFile> {
    const making = this.#making.get(file.id) ?? this.#make(file);
    this.#making.set(file.id, making);
    return making.finally(() => this.#making.delete(file.id));
  }

  async #make(file: ProductionFileRecord): Promise<PdfFile> {
    const path = this.#files.path(fileKey(file));
    const there = await stat(path).catch(() => undefined);
    if (there) return { path, bytes: there.size };
    const pdf = await makePdf(file, (name) => this.#pictures.path(name));
    const partial = `${path}.${randomUUID()}.partial`;
    await writeFile(partial, pdf);
    await rename(partial, path);
    return { path, bytes: pdf.length };
  }
}
