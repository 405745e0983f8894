// PDF files on disk: created on first request from the stored data, then kept.
import { makeFileOnce } from '../state/file-cache.ts';
import type { Files } from '../state/files.ts';
import type { ProductionFileRecord } from '../state/production-records.ts';
import { fileKey } from './file-key.ts';
import { makePdf } from './pdf/document.ts';

export interface PdfFile {
  readonly path: string;
  readonly bytes: number;
}

export class SheetFiles {
  readonly #files: Files;
  readonly #picturePathOf: (name: string) => string;
  readonly #making = new Map<string, Promise<PdfFile>>();

  /** @param picturePathOf the path of a picture that a sheet shows, by its name */
  constructor(files: Files, picturePathOf: (name: string) => string) {
    this.#files = files;
    this.#picturePathOf = picturePathOf;
  }

  /** The PDF of a file; concurrent requests share one build. */
  pdf(file: ProductionFileRecord): Promise<PdfFile> {
    const making = this.#making.get(file.id) ?? this.#make(file);
    this.#making.set(file.id, making);
    return making.finally(() => this.#making.delete(file.id));
  }

  async #make(file: ProductionFileRecord): Promise<PdfFile> {
    const path = this.#files.path(fileKey(file));
    return { path, bytes: await makeFileOnce(path, () => makePdf(file, this.#picturePathOf)) };
  }
}
