// Which parts of an answer callers cannot do without. The rows describe answers as the platform promises them; these
// marks say how they are read. What is not marked may be absent, and the types say so.
import { z } from 'zod';

declare const neededPart: unique symbol;
declare const itemList: unique symbol;

export interface Needed {
  readonly [neededPart]: true;
}
export interface ItemList {
  readonly [itemList]: true;
}

const neededParts = new WeakSet<z.ZodType>();
const itemLists = new WeakSet<z.ZodType>();
const texts = new WeakSet<z.ZodType>();
const names = new WeakSet<z.ZodType>();
const ids = new WeakSet<z.ZodType>();

/**
 * A part without which whatever holds it cannot be read: an item of a list is left out then, an answer is an error.
 * Stands outermost. `needed(z.string().optional())` may be absent, but not wrong.
 */
export function needed<Schema extends z.ZodType>(schema: Schema): Schema & Needed {
  return marked(schema, neededParts) as Schema & Needed;
}

/** A list of which each item stands for itself: one that cannot be read is left out, and counted. */
export function items<Item extends z.ZodType>(
  item: Item,
  description?: string,
): z.ZodArray<Item> & ItemList {
  const list = z.array(item);
  const described = description === undefined ? list : list.describe(description);
  return marked(described, itemLists) as z.ZodArray<Item> & ItemList;
}

/** Text for people, of any length: it travels into messages and records, so it is read short and clean. Innermost. */
export function words(schema: z.ZodString): z.ZodString {
  return marked(schema, texts);
}

/** A name: callers match by it, so it keeps its value, whatever it is made of. Whoever shows it cleans it. */
export const givenName = marked(z.string(), names);

/** An id that the platform gives, by which callers go on. It travels with each asset, so it is short. */
export const givenId = needed(marked(z.string(), ids));

/** A mark is of this one place: a schema that several places share stays what it is. */
function marked<Schema extends z.ZodType>(schema: Schema, marks: WeakSet<z.ZodType>): Schema {
  const copy = schema.clone();
  for (const others of [neededParts, itemLists, texts, names, ids])
    if (others.has(schema)) others.add(copy);
  marks.add(copy);
  return copy;
}

export const isNeeded = (schema: z.ZodType) => neededParts.has(schema);
export const isItemList = (schema: z.ZodType) => itemLists.has(schema);
export const isWords = (schema: z.ZodType) => texts.has(schema);
export const isGivenName = (schema: z.ZodType) => names.has(schema);
export const isGivenId = (schema: z.ZodType) => ids.has(schema);

/** The items that could be read, and how many could not. */
export type Items<Item> = Item[] & { readonly unread: number };

/** Of a list that was read elsewhere: nothing of it is unread. */
export function itemsOf<Item>(list: readonly Item[]): Items<Item> {
  return Object.assign([...list], { unread: 0 });
}

/** What an answer of this schema is for callers: all that is not needed may be absent. */
export type AnswerOf<Schema> = Schema extends ItemList & z.ZodArray<infer Item>
  ? Items<AnswerOf<Item>>
  : Schema extends z.ZodOptional<infer Inner>
    ? AnswerOf<Inner> | undefined
    : Schema extends z.ZodNullable<infer Inner>
      ? AnswerOf<Inner> | null
      : Schema extends z.ZodArray<infer Item>
        ? AnswerOf<Item>[]
        : Schema extends z.ZodObject<infer Shape, infer Config>
          ? PartsOf<Shape> & Further<Config>
          : z.output<Schema>;

type PartsOf<Shape> = {
  [Name in keyof Shape as IsSure<Shape[Name]> extends true ? Name : never]: AnswerOf<Shape[Name]>;
} & {
  [Name in keyof Shape as IsSure<Shape[Name]> extends true ? never : Name]?:
    | AnswerOf<Shape[Name]>
    | undefined;
};

type IsSure<Part> = Part extends Needed ? (Part extends z.ZodOptional ? false : true) : false;

/** Loose objects keep what the rows do not name. */
type Further<Config> = Config extends { out: infer Others }
  ? string extends keyof Others
    ? Others
    : unknown
  : unknown;
