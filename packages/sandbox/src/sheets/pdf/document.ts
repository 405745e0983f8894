// A production file (PDF): a top sheet per variant, followed by a page per logo if the options request logo pages.
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import type { ProductionFileRecord } from '../../state/production-records.ts';
import { drawDetailPage } from './detail-page.ts';
import { numberPages } from './frame.ts';
import { readImages } from './images.ts';
import { paper } from './paper.ts';
import { drawTopSheet } from './top-sheet.ts';

/** Creates the PDF. The same file always results in the same bytes. @param path maps a picture's name to its path */
export async function createPdf(
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
  const bytes = buffer(doc);
  const images = await readImages(sheet, path);
  for (const variant of sheet.variants) {
    drawTopSheet(doc, head, sheet, variant, images);
    for (const logo of sheet.options.includeDetailPages ? variant.logos : []) {
      drawDetailPage(doc, head, variant, logo, images);
    }
    // Yields to other requests between variants.
    await turn();
  }
  numberPages(doc, head);
  doc.end();
  return bytes;
}
