// Leaves out fields that are undefined. Pure.

/** The same fields; those that may be undefined are absent instead. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** A copy without its undefined fields, which would hide defaults when they are spread over them. */
export function withoutUndefined<T extends object>(fields: T): Defined<T>;
export function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
