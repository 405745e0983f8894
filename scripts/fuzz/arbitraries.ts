// Arbitraries for fuzzed inputs.
import fc from 'fast-check';

/** Generates text of the parts in any order with many repetitions, as in typical bombs. */
export function textOf(parts: readonly string[], max: number) {
  const part = fc.tuple(fc.constantFrom(...parts), fc.constantFrom(1, 1, 1, 2, 5, 40, 1_000));
  return fc.array(part, { minLength: 1, maxLength: 30 }).map((repetitions) =>
    repetitions
      .map(([text, times]) => text.repeat(times))
      .join('')
      .slice(0, max),
  );
}

export function assertAtMost(value: number, bound: number, unit: string): void {
  if (value > bound) throw new Error(`${value} ${unit}; the maximum is ${bound}`);
}
