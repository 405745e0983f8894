/** Longest that one measurement may take. */
export const patienceMs = 3 * 60 * 60_000;
