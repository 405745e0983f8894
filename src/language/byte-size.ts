// Sizes as people write them: 500MB, 2GiB. Pure.

const unitBytes: Readonly<Record<string, number>> = {
  B: 1,
  kB: 1e3,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
};

export const byteSizeForm = new RegExp(
  `^\\d{1,6}(?:\\.\\d{1,3})?\\s?(?:${Object.keys(unitBytes).join('|')})$`,
);

/** Returns a size such as `20GB` in bytes. The compiler has checked that the text matches `byteSizeForm`. */
export function parseSizeBytes(size: string): number {
  const [, number = '0', unit = 'B'] = /^([\d.]+)\s?(\w+)$/.exec(size) ?? [];
  return Number(number) * (unitBytes[unit] ?? 1);
}
