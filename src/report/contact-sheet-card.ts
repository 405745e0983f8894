// The content of a contact sheet: pictures, or the reason why a picture is missing.

/** A cell in a table of models and positions of a dimension. */
export type ContactSheetCell = { readonly model: string; readonly column: string };

/** Rows (models) and columns (positions of a dimension) in their order. */
export type ContactSheetGrid = {
  readonly models: readonly string[];
  /** Name of the dimension, such as `colorway`. */
  readonly dimension: string;
  readonly columns: readonly string[];
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
  readonly cell?: ContactSheetCell;
};

export type ContactSheetContent = {
  readonly title: string;
  readonly cards: readonly ContactSheetCard[];
  /** Number of cards that did not fit on the sheet. */
  readonly remaining: number;
  readonly grid?: ContactSheetGrid;
  /** Number of models of the grid that did not fit on the sheet. */
  readonly remainingModels?: number;
};

/** Text of a cell that the pipeline's table does not contain. */
export const notInTable = 'not in the table';

/** Returns a function that finds the cards of a cell, in their order. */
export function cellsOf(
  cards: readonly ContactSheetCard[],
): (model: string, column: string) => readonly ContactSheetCard[] {
  const models = new Map<string, Map<string, ContactSheetCard[]>>();
  for (const card of cards) {
    if (card.cell === undefined) continue;
    const { model, column } = card.cell;
    const row = models.get(model) ?? new Map<string, ContactSheetCard[]>();
    row.set(column, [...(row.get(column) ?? []), card]);
    models.set(model, row);
  }
  return (model, column) => models.get(model)?.get(column) ?? [];
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
