import { describeDifference } from './name-comparison.ts';

/** Returns `did you mean "Oak"?`, with the difference if the two look alike. Returns null if no name is near. */
export function suggestName(name: string, knownNames: Iterable<string>): string | null {
  const nearestName = findNearestName(name, knownNames);
  if (nearestName === null) return null;
  const differs = describeDifference(name, nearestName);
  return `did you mean "${nearestName}"?${differs === null ? '' : ` (${differs})`}`;
}

/** Finds the known name that is most similar to `name`, or null if none is similar enough. */
export function findNearestName(name: string, knownNames: Iterable<string>): string | null {
  const candidates = [...knownNames];
  const lookalike = candidates.find((candidate) => describeDifference(name, candidate) !== null);
  if (lookalike !== undefined) return lookalike;
  // A name this long gets no suggestion, because it is not a typing error.
  if (name.length > 60) return null;
  let best: string | null = null;
  let bestDistance = Math.max(2, Math.ceil(name.length / 3)) + 1;
  for (const candidate of candidates) {
    const [lower, lowerCandidate] = [name.toLowerCase(), candidate.toLowerCase()];
    // The distance is at least the difference of the lengths. A name in a file may have megabytes.
    if (Math.abs(lowerCandidate.length - lower.length) >= bestDistance) continue;
    const distance = computeEditDistance(lower, lowerCandidate);
    if (distance < bestDistance && distance < candidate.length) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Computes the edit distance. Insertions, deletions, substitutions and swaps of neighbours count as one each. */
export function computeEditDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let minCost = Math.min(
        (previous[j] ?? 0) + 1,
        (current[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + cost,
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        minCost = Math.min(minCost, (beforePrevious[j - 2] ?? 0) + 1);
      }
      current.push(minCost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length] ?? 0;
}
