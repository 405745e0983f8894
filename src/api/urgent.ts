// The rate budget as polls see it; for urgent runs it seems less tight.

/** What polls need to know of the rate budget. */
export interface Pace {
  /** Share of the allowance that is spent, 0 to 1. */
  pressure(): number;
  readonly limit: number | undefined;
}

/** Polls of a few assets cost little even if the budget is tight, so they come at least every two seconds. */
const pressureAtMost = 0.6;

export function urgentPace(pace: Pace): Pace {
  return {
    pressure: () => Math.min(pressureAtMost, pace.pressure()),
    get limit() {
      return pace.limit;
    },
  };
}
