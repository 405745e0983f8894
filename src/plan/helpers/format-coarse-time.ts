/** Formats `40 s`, `4 min` or `2 h 5 min`. The time is coarse, so that the text changes rarely. */
export function formatCoarseTime(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds - (seconds % 10)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
