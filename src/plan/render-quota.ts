// The quota of a file: how many renders its runs, or those of its workspace, may start in a calendar month. Pure.

export interface RenderQuota {
  /** Maximum number of render jobs and captures. */
  perMonth: number;
  /** Whose renders count. */
  per: 'pipeline' | 'workspace';
  /** IANA name of the time zone whose calendar months count. */
  timezone: string;
  /** What happens to renders that do not fit: their assets fail, or they wait for the next month. */
  onBreach: 'stop' | 'wait';
  /** Name of the connector that keeps the count; absent: the records. */
  at?: string;
}
