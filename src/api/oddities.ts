// Reports each way in which responses differ from the contract once.
import type { Oddity } from './answer-reader.ts';

/** An anomaly with the operation whose response has it. */
export interface AnswerOddity extends Oddity {
  operation: string;
}

/** Maximum number of anomalies reported by one client. */
const toldAtMost = 200;

/** Wraps `tell` so that each different anomaly is reported only once. */
export function tellOnce(
  tell: (oddity: AnswerOddity) => void,
): (operation: string, oddities: readonly Oddity[]) => void {
  const told = new Set<string>();
  return (operation, oddities) => {
    for (const { path, what } of oddities) {
      const name = `${operation} ${path} ${what}`;
      if (told.has(name) || told.size >= toldAtMost) continue;
      told.add(name);
      tell({ operation, path, what });
    }
  };
}
