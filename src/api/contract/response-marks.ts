// Marks for the parts of a response schema. The operations describe responses as the platform promises them. The marks
// define how strictly each part is read. An unmarked part may be absent, so its type includes undefined.
import { z } from 'zod';

declare const neededPart: unique symbol;
declare const itemList: unique symbol;

export interface RequiredPart {
  readonly [neededPart]: true;
}

export interface ItemList {
  readonly [itemList]: true;
}

type Mark = 'needed' | 'items' | 'prose' | 'name' | 'id';
const marks = new WeakMap<z.ZodType, readonly Mark[]>();

/**
 * Marks a required part. If the part is unreadable, its list item is left out or, outside a list, the response is an
 * error. Must be the outermost wrapper. `markRequired(z.string().optional())` may be absent but not wrong.
 */
export function markRequired<Schema extends z.ZodType>(schema: Schema): Schema & RequiredPart {
  return markSchema(schema, 'needed') as Schema & RequiredPart;
}

/** Marks a list whose items are read independently: unreadable items are left out and counted. */
export function itemListOf<Item extends z.ZodType>(
  item: Item,
  description?: string,
): z.ZodArray<Item> & ItemList {
  const list = z.array(item);
  const described = description === undefined ? list : list.describe(description);
  return markSchema(described, 'items') as z.ZodArray<Item> & ItemList;
}

/** Marks text for people. Reading cleans and shortens it for messages and records. Must be the innermost wrapper. */
export function markProse(schema: z.ZodString): z.ZodString {
  return markSchema(schema, 'prose');
}

/** A name. It is kept unchanged because callers match by it, and it is cleaned only where it is displayed. */
export const givenName = markSchema(z.string(), 'name');

/** An id of the platform. Its length is limited, because ids are stored and sent with every asset. */
export const givenId = markRequired(markSchema(z.string(), 'id'));

/** Marks a copy, because several operations may share the schema. */
function markSchema<Schema extends z.ZodType>(schema: Schema, mark: Mark): Schema {
  const copy = schema.clone();
  marks.set(copy, [...(marks.get(schema) ?? []), mark]);
  return copy;
}

export function hasMark(schema: z.ZodType, mark: Mark): boolean {
  return marks.get(schema)?.includes(mark) ?? false;
}

/** The readable items, and the number of unreadable ones. */
export type Items<Item> = Item[] & { readonly unread: number };

/** Creates `Items` from a list without unreadable items. */
export function itemsOf<Item>(list: readonly Item[]): Items<Item> {
  return Object.assign([...list], { unread: 0 });
}

/** Type of a response as callers receive it: each part that is not `markRequired` may be absent. */
export type ResponseOf<Schema> = Schema extends ItemList & z.ZodArray<infer Item>
  ? Items<ResponseOf<Item>>
  : Schema extends z.ZodOptional<infer Inner>
    ? ResponseOf<Inner> | undefined
    : Schema extends z.ZodNullable<infer Inner>
      ? ResponseOf<Inner> | null
      : Schema extends z.ZodArray<infer Item>
        ? ResponseOf<Item>[]
        : Schema extends z.ZodObject<infer Shape, infer Config>
          ? FieldsOf<Shape> & ExtraFields<Config>
          : z.output<Schema>;

type FieldsOf<Shape> = {
  [Name in keyof Shape as IsRequired<Shape[Name]> extends true ? Name : never]: ResponseOf<
    Shape[Name]
  >;
} & {
  [Name in keyof Shape as IsRequired<Shape[Name]> extends true ? never : Name]?:
    | ResponseOf<Shape[Name]>
    | undefined;
};

type IsRequired<Part> = Part extends RequiredPart
  ? Part extends z.ZodOptional
    ? false
    : true
  : false;

/** Fields that are not in the schema. Only loose objects keep them. */
type ExtraFields<Config> = Config extends { out: infer Others }
  ? string extends keyof Others
    ? Others
    : unknown
  : unknown;
