/** Heartbeat details of an activity that waits for something outside the run. Read by `show`. */
export interface ActivityWait {
  /** What the activity waits for, as text for people. */
  wait: string;
}
