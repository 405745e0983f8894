// Content of a contact sheet: pictures, or the reason why there is none.

/** A place in a table of models and colorways. */
export type SheetCell = { readonly model: string; readonly colorway: string };

/** Models down and colorways across, in their order. */
export type SheetGrid = {
  readonly models: readonly string[];
  readonly colorways: readonly string[];
};

export type SheetCard = {
  readonly key: string;
  readonly caption: string;
  readonly width: number;
  readonly height: number;
  /** JPEG; absent where there is no picture. */
  readonly thumbnail?: Buffer;
  /** Relative link to the full picture. */
  readonly link?: string;
  /** Address of the picture to show where no thumbnail is embedded. */
  readonly source?: string;
  readonly failed?: string;
  /** Why there is no picture though nothing failed. */
  readonly missing?: string;
  readonly cell?: SheetCell;
};

export type SheetContent = {
  readonly title: string;
  readonly cards: readonly SheetCard[];
  /** Cards that did not fit. */
  readonly left: number;
  readonly grid?: SheetGrid;
  /** Models of the grid that did not fit. */
  readonly modelsLeft?: number;
};

/** Text of a cell that was not ordered. */
export const notInTable = 'not in the table';

/** Finds the cards of a cell, in their order. */
export function cellsOf(
  cards: readonly SheetCard[],
): (model: string, colorway: string) => readonly SheetCard[] {
  const models = new Map<string, Map<string, SheetCard[]>>();
  for (const card of cards) {
    if (card.cell === undefined) continue;
    const { model, colorway } = card.cell;
    const row = models.get(model) ?? new Map<string, SheetCard[]>();
    row.set(colorway, [...(row.get(colorway) ?? []), card]);
    models.set(model, row);
  }
  return (model, colorway) => models.get(model)?.get(colorway) ?? [];
}

/** `missing` counts cards without a picture of which none failed. */
export function countCards(cards: readonly SheetCard[]): {
  pictures: number;
  failures: number;
  missing: number;
} {
  const pictures = cards.filter(({ thumbnail }) => thumbnail !== undefined).length;
  const missing = cards.filter((card) => card.missing !== undefined).length;
  return { pictures, failures: cards.length - pictures - missing, missing };
}
