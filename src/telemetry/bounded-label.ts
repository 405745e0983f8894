// Limits the values of metric labels that pipeline files choose, because each value creates a series.

/** Maximum number of values of a label. Further pipelines, nodes or steps share one series. */
const maxValues = 200;
const others = 'other';

/** Returns a function that returns its value, or `other` once `max` different values were seen. */
export function boundedLabel(max = maxValues): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= max) return others;
    seen.add(value);
    return value;
  };
}
