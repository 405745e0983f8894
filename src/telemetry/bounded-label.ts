// Values of labels that files choose: each makes series of its own, so there are only so many.

/** More pipelines or nodes than these share one series. */
const valuesAtMost = 200;
const others = 'other';

/** Gives the value, or `other` where so many were seen before it. */
export function boundedLabel(most = valuesAtMost): (value: string) => string {
  const seen = new Set<string>();
  return (value) => {
    if (seen.has(value)) return value;
    if (seen.size >= most) return others;
    seen.add(value);
    return value;
  };
}
