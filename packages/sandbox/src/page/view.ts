// A view of the page: cards of one kind of resource, newest first, in pages.
import type { Sandbox } from '../context/sandbox.ts';
import { listNewestFirst } from '../state/table.ts';
import type { Grid } from './grid.ts';

/** Cards per page. Browsers show this many pictures together without trouble. */
const cardsAPage = 48;

export interface Card {
  /** Id of the resource in the API. */
  readonly id: string;
  readonly title: string;
  /** Further lines: sizes, types and reasons. */
  readonly lines: readonly string[];
  readonly status?: string | undefined;
  /** Path of the thumbnail. */
  readonly image?: string | undefined;
  /** Path of the full file. */
  readonly link?: string | undefined;
  readonly isVideo?: boolean;
}

interface ViewDefinition<R> extends Pick<View, 'id' | 'title'> {
  /** The items, oldest first. */
  readonly rows: (sandbox: Sandbox) => readonly R[];
  readonly name: (row: R) => string;
  readonly card: (row: R, sandbox: Sandbox, nowMs: number) => Card;
  /** A line above the cards. */
  readonly note?: (sandbox: Sandbox, nowMs: number) => string;
}

export interface PageQuery {
  /** Page number, starting at 1. */
  readonly page: number;
  /** Part of a name, ignoring case. */
  readonly search: string;
}

export interface ViewContent {
  readonly cards: readonly Card[];
  /** Shown instead of cards. */
  readonly grid?: Grid;
  /** Number of search results. */
  readonly foundCount: number;
  readonly page: number;
  readonly pages: number;
  readonly note: string;
}

export interface View {
  readonly id: string;
  readonly title: string;
  /** True if the view is shown. If absent, it is always shown. */
  readonly isShown?: (sandbox: Sandbox) => boolean;
  readonly count: (sandbox: Sandbox) => number;
  readonly show: (sandbox: Sandbox, choice: PageQuery, nowMs: number) => ViewContent;
}

/** Returns a page of the search results, newest first. */
export function selectPage<R>(
  allRows: readonly R[],
  { page: requestedPage, search }: PageQuery,
  { size, name }: { size: number; name: (row: R) => string },
): { rows: R[]; foundCount: number; page: number; pages: number } {
  const part = search.toLowerCase();
  const matches =
    part === '' ? allRows : allRows.filter((row) => name(row).toLowerCase().includes(part));
  const pages = Math.max(1, Math.ceil(matches.length / size));
  const page = Math.min(requestedPage, pages);
  const rows = listNewestFirst(matches, size, (page - 1) * size);
  return { rows, foundCount: matches.length, page, pages };
}

/** Creates a view that hides the type of its items, so that all views fit one list. Only one page has cards. */
export function createView<R>(definition: ViewDefinition<R>): View {
  const { id, title, rows: rowsOf, name, card, note } = definition;
  return {
    id,
    title,
    count: (sandbox) => rowsOf(sandbox).length,
    show: (sandbox, choice, nowMs) => {
      const { rows, ...pageInfo } = selectPage(rowsOf(sandbox), choice, { size: cardsAPage, name });
      const cards = rows.map((row) => card(row, sandbox, nowMs));
      return { ...pageInfo, cards, note: note?.(sandbox, nowMs) ?? '' };
    },
  };
}

/** Returns one line of the facts that are known. */
export function joinFacts(...facts: readonly (string | undefined)[]): string {
  return facts.filter((fact) => fact !== undefined).join(' · ');
}

/** Formats `1234567` as `1.2 MB`. */
export function formatSize(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'] as const;
  const power = Math.min(3, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}
