// Limits the values of metric labels that pipeline files choose, because each value creates a series.

/** Further pipelines or nodes share one series. */
const valuesAtMost = 200;
const others = 'other';

/** Returns a function that returns its value, or `other` once `most` different values were seen. */
export function boundedLabel(most = valuesAtMost): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= most) return others;
    seen.add(value);
    return value;
  };
}
