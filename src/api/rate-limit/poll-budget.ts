// The rate budget as polls see it; for urgent runs it seems less tight.

/** What polls need to know of the rate budget. */
export interface PollBudget {
  /** Share of the allowance that is spent, 0 to 1. */
  pressure(): number;
  readonly limit: number | undefined;
}

/** Polls of a few assets cost little even if the budget is tight, so they come at least every two seconds. */
const maxPressure = 0.6;

export function urgentPollBudget(pollBudget: PollBudget): PollBudget {
  return {
    pressure: () => Math.min(maxPressure, pollBudget.pressure()),
    get limit() {
      return pollBudget.limit;
    },
  };
}
