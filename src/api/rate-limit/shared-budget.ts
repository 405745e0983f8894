// Shares one rate budget among the clients of a key in this process.
import { createHash } from 'node:crypto';
import { type BudgetOptions, RateBudget } from './budget.ts';

const budgets = new Map<string, RateBudget>();

/** The budget of a platform address and key. The options of the first call apply. */
export function sharedBudget(baseUrl: string, apiKey: string, options?: BudgetOptions): RateBudget {
  const name = createHash('sha256').update(`${baseUrl}\n${apiKey}`).digest('hex');
  const existing = budgets.get(name);
  if (existing) return existing;
  const budget = new RateBudget(options);
  budgets.set(name, budget);
  return budget;
}
