// Writes an XLSX sheet row by row. Cells have the format "text", which disables formulas and keeps leading zeros.
import type { RowValue } from '../../../plan/rows.ts';
import { type ZipEntryWriter, ZipWriter } from './zip-writer.ts';

/** Maximum number of rows in the file format, including the row of headings. */
const maxSheetRows = 1_048_576;
const maxCellLength = 32_767;

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const types = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
/** A fixed time, so that equal rows produce equal bytes. */
const modifiedAtMs = 0;
const level = 6;

/** Parts of the workbook other than its sheet. In the styles, style 1 is the format "text". */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packaged}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${types}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${types}.styles+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${types}.worksheet+xml"/></Types>`,
  '_rels/.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="Files" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${packaged}/relationships"><Relationship Id="rId1" Type="${office}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `<styleSheet xmlns="${main}"><fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/><xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`,
};
const sheetStart = `${head}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`;
const sheetEnd = '</sheetData></worksheet>';

export type WorkbookWriter = Pick<ZipEntryWriter, 'write' | 'end' | 'discard'>;

/** Returns a writer that packs the XML text of a sheet (`createSheetFormat`) into a workbook. */
export async function openWorkbook(
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<WorkbookWriter> {
  const zip = new ZipWriter(write);
  for (const [name, text] of Object.entries(parts)) {
    const bytes = Buffer.from(head + text);
    const part = await zip.open({ name, bytes: bytes.length, modifiedAtMs, level });
    await part.write(bytes);
    await part.end();
  }
  // Spreadsheets cannot read ZIP64, and `bytes: 0` avoids it. A sheet of more than four gigabytes therefore fails.
  const name = 'xl/worksheets/sheet1.xml';
  const sheet = await zip.open({ name, bytes: 0, modifiedAtMs, level });
  return {
    write: (bytes) => sheet.write(bytes),
    async end() {
      await sheet.end();
      await zip.end();
    },
    discard: () => sheet.discard(),
  };
}

/** Returns the parts of a sheet's XML: the start with the headings, a function for each row, and the end. */
export function createSheetFormat(headings: readonly string[]) {
  let rows = 0;
  const row = (cells: readonly RowValue[]) => {
    rows += 1;
    if (rows > maxSheetRows) {
      throw new Error(
        `the manifest has more than ${maxSheetRows - 1} files, too many for a workbook; write the manifest as .csv or .jsonl`,
      );
    }
    return `<row r="${rows}">${cells.map((cell, index) => formatCellXml(cell, `${columnNameOf(index)}${rows}`)).join('')}</row>`;
  };
  return { start: sheetStart + row(headings), row, end: sheetEnd };
}

function formatCellXml(value: RowValue, reference: string): string {
  if (value === null || value === '') return '';
  if (typeof value === 'number') return `<c r="${reference}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = escapeXml(value.slice(0, maxCellLength));
  return `<c r="${reference}" s="1" t="inlineStr"><is><t xml:space="preserve">${text}</t></is></c>`;
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/**
 * Escapes the text of a cell. U+FFFE, U+FFFF and control characters except tab and line breaks become spaces. `_x0041_`
 * is escaped, because a workbook writes a character by its number in this form.
 */
function escapeXml(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/(?![\t\n])[\p{Cc}\ufffe\uffff]/gu, ' ')
    .replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
    .replaceAll(/[&<>]/g, (character) => entities[character] ?? character);
}

/** Returns the name of the column with an index: 0 is A, 26 is AA. */
function columnNameOf(index: number): string {
  const prefix = index < 26 ? '' : columnNameOf(Math.floor(index / 26) - 1);
  return prefix + String.fromCharCode(65 + (index % 26));
}
