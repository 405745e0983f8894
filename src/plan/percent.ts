/** A share of 0 to 1 in percent, with one digit below ten. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)}%`;
}
