// Cells whose value a spreadsheet has lost: errors of formulas, as they are written into CSV, and shortened numbers.

/** Renderline's own codes, which `read-xlsx.ts` sets, for a formula without a result and a number without a day. */
const ownCodes: Readonly<Record<string, string | undefined>> = {
  '#UNCOMPUTED!':
    'contains a formula without a result; open the table in a spreadsheet and save it',
  '#DATE!':
    'contains a number that is not a date between 1900-03-01 and 9999-12-31; format the cell as text',
};
const formulaError = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|SPILL!|CALC!|GETTING_DATA)$/;
/** A number of more than ten digits, such as a GTIN, as Excel writes it into CSV. Digits are missing. */
const shortenedNumber = /^\d(?:[.,]\d+)?E\+1\d$/;

/** Returns why a cell has no value, for example `contains a formula with the error #N/A`, or null if it has one. */
export function findFormulaProblem(text: string): string | null {
  if (shortenedNumber.test(text))
    return 'is a number whose last digits are missing; format the column as "text" or "0", and save the table again';
  if (!text.startsWith('#')) return null;
  return (
    ownCodes[text] ?? (formulaError.test(text) ? `contains a formula with the error ${text}` : null)
  );
}
