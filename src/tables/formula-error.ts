// Errors of formulas, as spreadsheets show them and write them into CSV.

/** The last one stands for a formula that was never computed, as programs write formulas into workbooks. */
const formulaError =
  /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|UNCOMPUTED!)$/;

/** Why a cell has no value: for example `holds the error #N/A of a formula`; null if it has one. */
export function formulaProblem(text: string): string | null {
  if (!formulaError.test(text)) return null;
  return text === '#UNCOMPUTED!'
    ? 'holds a formula without a result; open the table in a spreadsheet and save it'
    : `holds the error ${text} of a formula`;
}
