/** Time limit of one measurement. */
export const patienceMs = 3 * 60 * 60_000;
