// A production file as PDF: a top sheet for each variant, then a page for each of its logos (4.13).
import { setImmediate as turn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { ProductionFileRecord } from '../records.ts';
import { drawDetailPage } from './detail-page.ts';
import { numberPages } from './frame.ts';
import { readImages } from './images.ts';
import { paper } from './paper.ts';
import { drawTopSheet } from './top-sheet.ts';

/** The same file gives the same bytes. @param path Where the picture of a name is. */
export async function makePdf(
  file: ProductionFileRecord,
  path: (name: string) => string,
): Promise<Buffer> {
  const { sheet, documentNumber, version, createdAt } = file;
  const head = { documentNumber, version, createdAt, modelName: sheet.modelName };
  const doc = new PDFDocument({
    autoFirstPage: false,
    bufferPages: true,
    size: [paper.width, paper.height],
    margin: 0,
    info: {
      Title: `${documentNumber} version ${version}, ${sheet.modelName}`,
      Creator: 'Renderline sandbox',
      Producer: 'Renderline sandbox',
      CreationDate: new Date(createdAt),
      ModDate: new Date(createdAt),
    },
  });
  const chunks: Buffer[] = [];
  doc.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    doc.on('end', resolve);
    doc.on('error', reject);
  });
  const images = await readImages(sheet, path);
  for (const variant of sheet.variants) {
    drawTopSheet(doc, head, sheet, variant, images);
    for (const logo of sheet.options.includeDetailPages ? variant.logos : []) {
      drawDetailPage(doc, head, variant, logo, images);
    }
    // Other requests get their turn between variants.
    await turn();
  }
  numberPages(doc, head);
  doc.end();
  await ended;
  return Buffer.concat(chunks);
}
