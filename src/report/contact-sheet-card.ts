// The content of a contact sheet: pictures, or the reason why a picture is missing.

/** Rows (models) and columns (colorways) of a table, in their order. */
export type ContactSheetGrid = {
  readonly models: readonly string[];
  readonly colorways: readonly string[];
};

export type ContactSheetCard = {
  readonly key: string;
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  /** JPEG of the picture. Absent if there is no picture. */
  readonly thumbnail?: Buffer;
  /** Relative link to the full picture. */
  readonly link?: string;
  /** URL of the picture, shown if no thumbnail is embedded. */
  readonly source?: string;
  readonly failed?: string;
  /** Why there is no picture although nothing failed. */
  readonly missing?: string;
  /** Place in the table. */
  readonly cell?: { readonly model: string; readonly colorway: string };
};

export type ContactSheetContent = {
  readonly title: string;
  readonly cards: readonly ContactSheetCard[];
  /** If set, the sheet is a table. */
  readonly grid?: ContactSheetGrid;
};

/** Text of a cell that the pipeline's table does not contain. */
export const notInTable = 'not in the table';

/** Returns the cards of a cell, in their order. */
export function cardsOfCell(
  cards: readonly ContactSheetCard[],
  model: string,
  colorway: string,
): ContactSheetCard[] {
  return cards.filter(({ cell }) => cell?.model === model && cell.colorway === colorway);
}

/** Counts the cards. `missing` counts cards without a picture that did not fail. */
export function countCards(cards: readonly ContactSheetCard[]): {
  pictures: number;
  failures: number;
  missing: number;
} {
  const pictures = cards.filter(({ thumbnail }) => thumbnail !== undefined).length;
  const missing = cards.filter((card) => card.missing !== undefined).length;
  return { pictures, failures: cards.length - pictures - missing, missing };
}
