// Errors of formulas, as spreadsheets show them and write them into CSV.

/** Renderline's own codes, which `xlsx-thread.ts` sets, for a formula without a result and for a date after 9999. */
const ownCodes: Readonly<Record<string, string | undefined>> = {
  '#UNCOMPUTED!':
    'contains a formula without a result; open the table in a spreadsheet and save it',
  '#DATE!': 'contains a number that is too large for a date; give the cell the format "text"',
};
const formulaError = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA)$/;

/** Returns why a cell has no value, for example `contains a formula with the error #N/A`, or null if it has one. */
export function findFormulaProblem(text: string): string | null {
  if (!text.startsWith('#')) return null;
  return (
    ownCodes[text] ?? (formulaError.test(text) ? `contains a formula with the error ${text}` : null)
  );
}
