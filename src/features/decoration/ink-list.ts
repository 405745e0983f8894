// The inks of a logo, as a file declares them and as the platform stores them. Pure.
import { z } from 'zod';
import { valueText } from '../../language/fields.ts';
import { findExpressions } from '../../language/value-template.ts';
import { normalizePantoneCode, pantoneCodeForm } from '../../pantone/pantone-code.ts';

/** Limits of the platform: the number of inks of a logo, and the characters of a name and of a method. */
const maxInks = 16;
const maxNameLength = 40;
const maxMethodLength = 60;

/** An ink in the form of the request. */
export type Ink = { [Field in InkField]?: string };

/** Returns why the platform would refuse the text, or null if the platform accepts it. */
type Check = (text: string) => string | null;

export const checkMethod: Check = (text) =>
  text.trim() === ''
    ? 'is empty'
    : text.trim().length > maxMethodLength
      ? `is longer than ${maxMethodLength} characters`
      : null;
export const checkSpec: Check = (text) => (text.trim() === '' ? 'is empty' : null);
const checkName: Check = (text) =>
  text.trim().length > maxNameLength ? `is longer than ${maxNameLength} characters` : null;
const checkPantoneCode: Check = (text) =>
  text.trim() === '' || normalizePantoneCode(text) !== undefined ? null : pantoneCodeForm;
const checkHex: Check = (text) =>
  text.trim() === '' || /^#[0-9a-f]{6}$/i.test(text.trim())
    ? null
    : 'is not a colour in the form #RRGGBB';

const inkFields = ['name', 'pantoneCode', 'hex'] as const;
type InkField = (typeof inkFields)[number];
const inkChecks = { name: checkName, pantoneCode: checkPantoneCode, hex: checkHex } as const;

/** Creates the schema of a string that is checked when the file is read, or by the run if it contains CEL. */
export function createCheckedText(check: Check, description: string) {
  return valueText.describe(description).superRefine((text, context) => {
    const refusal = findExpressions(text).length > 0 ? null : check(text);
    if (refusal !== null) context.addIssue({ code: 'custom', message: refusal });
  });
}

const InkItem = z
  .strictObject({
    name: createCheckedText(checkName, 'Name of the ink, up to 40 characters.').optional(),
    pantoneCode: createCheckedText(
      checkPantoneCode,
      'Pantone code, such as 186 C or 19-4052 TCX.',
    ).optional(),
    hex: createCheckedText(checkHex, 'Colour as #RRGGBB; used only for the swatch.').optional(),
  })
  .refine(({ name, pantoneCode }) => Boolean(name) || Boolean(pantoneCode), {
    message: 'needs a name or a pantoneCode',
  });

export const InkItems = z
  .array(InkItem)
  .max(maxInks)
  .describe('At most 16 inks; an empty list removes the inks of the logo.');

/**
 * Returns the ink in the form of the request, with its Pantone code normalized. Returns an error message if the
 * platform would refuse the ink. Returns null if all its strings are empty, as in unused ink columns of a table.
 * @param fill evaluates the CEL of a string
 */
export function toInk(
  item: z.output<typeof InkItem>,
  fill: (text: string) => string,
): Ink | string | null {
  const ink: Ink = {};
  for (const field of inkFields) {
    const text = fill(item[field] ?? '').trim();
    const refusal = inkChecks[field](text);
    if (refusal !== null) return `the ${field} "${text}" ${refusal}`;
    if (text !== '') ink[field] = storedForm[field](text);
  }
  if (ink.name !== undefined || ink.pantoneCode !== undefined) return ink;
  return ink.hex === undefined ? null : `the ink ${ink.hex} has neither a name nor a pantoneCode`;
}

const storedForm: Readonly<Record<InkField, (text: string) => string>> = {
  name: (text) => text,
  pantoneCode: (text) => normalizePantoneCode(text) ?? text,
  hex: (text) => text.toLowerCase(),
};
