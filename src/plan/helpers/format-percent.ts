/** Formats a share of 0 to 1 as a percentage, with one decimal below ten. */
export function formatPercent(share: number): string {
  const value = share * 100;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}%`;
}
