/** The same fields, with fields that may be undefined as optional ones. */
type Defined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** Returns a copy without undefined fields, which would override defaults when spread. */
export function omitUndefined<T extends object>(fields: T): Defined<T>;
export function omitUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
