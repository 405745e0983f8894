/** Returns the id of a variant in one form. The platform accepts such ids in any case, with or without braces and dashes. */
export function plainVariantId(id: string): string {
  return id.replace(/[{}-]/g, '').toLowerCase();
}
