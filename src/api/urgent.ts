// How hard the looks of an urgent run may press.

/** What looks go by. */
export interface Pace {
  /** Share of the allowance that is spent, 0 to 1. */
  pressure(): number;
  readonly limit: number | undefined;
}

/** Looks at a few assets cost little however tight the budget is: they come every two seconds at least. */
const pressureAtMost = 0.6;

export function urgentPace(pace: Pace): Pace {
  return {
    pressure: () => Math.min(pressureAtMost, pace.pressure()),
    get limit() {
      return pace.limit;
    },
  };
}
