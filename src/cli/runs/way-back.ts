/** The lines that lead back to a run that goes on without its command. */
export function wayBack(run: string): string {
  return `Come back: renderline show ${run} --wait\nCancel it: renderline cancel ${run}`;
}
