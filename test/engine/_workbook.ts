// Small workbooks (XLSX) for tests.
import { strToU8, zipSync } from 'fflate';

/** A cell as it is in a workbook: a text, a number, a boolean, or XML of its own. */
export type Cell = string | number | boolean | null | { xml: string };

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** Style 1 is a date, style 2 is shown with four digits. */
const styles = `${xmlHead}<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="0000"/></numFmts><cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14" applyNumberFormat="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

function cellXml(cell: Cell, at: string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${at}"><v>${cell}</v></c>`;
  if (typeof cell === 'boolean') return `<c r="${at}" t="b"><v>${cell ? 1 : 0}</v></c>`;
  if (typeof cell === 'string')
    return `<c r="${at}" t="inlineStr"><is><t xml:space="preserve">${cell.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
  return cell.xml.replace('<c', `<c r="${at}"`);
}

function sheetXml(rows: readonly (readonly Cell[])[]): string {
  const all = rows.map((row, index) => {
    const cells = row.map((cell, at) =>
      cellXml(cell, `${String.fromCharCode(65 + at)}${index + 1}`),
    );
    return cells.join('') === '' ? '' : `<row r="${index + 1}">${cells.join('')}</row>`;
  });
  return `${xmlHead}<worksheet xmlns="${main}"><sheetData>${all.join('')}</sheetData></worksheet>`;
}

/** The sheets in order, by name. */
export function workbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Buffer {
  const names = Object.keys(sheets);
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="r${at}"/>`);
  const links = names.map(
    (_, at) =>
      `<Relationship Id="r${at}" Type="${relations}/worksheet" Target="worksheets/sheet${at}.xml"/>`,
  );
  const files: Record<string, string> = {
    'xl/workbook.xml': `${xmlHead}<workbook xmlns="${main}" xmlns:r="${relations}"><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `${xmlHead}<Relationships xmlns="${packageRelations}">${links.join('')}<Relationship Id="s" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': styles,
    ...Object.fromEntries(
      names.map((name, at) => [`xl/worksheets/sheet${at}.xml`, sheetXml(sheets[name] ?? [])]),
    ),
  };
  const parts = Object.entries(files).map(([path, text]) => [path, strToU8(text)] as const);
  return Buffer.from(zipSync(Object.fromEntries(parts)));
}
