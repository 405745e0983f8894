// Formats numbers with nouns. Pure, because locales differ between machines, so workflows cannot use them.

/** Formats an integer: `1,000`. */
export function formatNumber(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats `1 asset` or `1,000 assets`. */
export function formatCount(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** Formats `22 to 1,058`, or one number if both are equal. */
export function formatRange(min: number, max: number): string {
  return min === max ? formatNumber(min) : `${formatNumber(min)} to ${formatNumber(max)}`;
}

/** Formats `22 to 1,058 requests`, or `1 request`. */
export function formatCountRange(min: number, max: number, noun: string): string {
  return `${formatRange(min, max)} ${noun}${max === 1 ? '' : 's'}`;
}
