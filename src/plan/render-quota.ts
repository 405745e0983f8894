// The render quota of a pipeline: how many renders its runs, or all runs of its workspace, may start in a month. Pure.

export interface RenderQuota {
  /** Maximum number of render jobs and captures. */
  perMonth: number;
  /** Whose renders count. */
  per: 'pipeline' | 'workspace';
  /** IANA name of the time zone whose calendar months count. */
  timezone: string;
  /** What happens to renders that exceed the quota: their assets fail, or they wait for the next month. */
  onBreach: 'stop' | 'wait';
  /** Name of the connector whose storage keeps the count. Defaults to the store of the records. */
  at?: string;
}
