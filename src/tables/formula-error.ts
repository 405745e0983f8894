// Errors of formulas, as spreadsheets show them and write them into CSV.

/** `#UNCOMPUTED!` is Renderline's own code. `xlsx-thread.ts` sets it for a formula that no program has computed yet. */
const formulaError =
  /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA|UNCOMPUTED!)$/;

/** Returns why a cell has no value, for example `holds the error #N/A of a formula`, or null if it has one. */
export function findFormulaProblem(text: string): string | null {
  if (!formulaError.test(text)) return null;
  return text === '#UNCOMPUTED!'
    ? 'holds a formula without a result; open the table in a spreadsheet and save it'
    : `holds the error ${text} of a formula`;
}
