/** Formats an ISO time in UTC for the terminal, to the second: `2026-11-22 02:00:00Z`, which `--since` accepts. */
export function formatTimestamp(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')}Z`;
}
