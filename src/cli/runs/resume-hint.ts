/** Commands to follow or cancel a run that continues without its command. */
export function resumeHint(run: string): string {
  return `Follow it again: renderline show ${run} --wait\nCancel it: renderline cancel ${run}`;
}
