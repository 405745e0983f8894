/** Time limit of one measurement. */
export const measurementTimeoutMs = 3 * 60 * 60_000;
