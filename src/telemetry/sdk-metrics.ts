// Metrics of Temporal's SDK that the dashboard, the alert rules and the metrics page refer to. Workers have many more.

export interface SdkMetric {
  /** The name in Prometheus. */
  name: string;
  help: string;
  /** False if the metric appears only with the first failure. */
  isAlwaysThere: boolean;
}

export const sdkMetrics: readonly SdkMetric[] = [
  {
    name: 'temporal_worker_task_slots_available',
    help: 'Free task slots of a worker, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_worker_task_slots_used',
    help: 'Used task slots of a worker, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_schedule_to_start_latency_seconds',
    help: 'How long workflow tasks waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_activity_schedule_to_start_latency_seconds',
    help: 'How long activities waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_execution_failed_total',
    help: 'Failed workflow tasks by failure_reason: NonDeterminismError after a bad deploy.',
    isAlwaysThere: false,
  },
  {
    name: 'temporal_sticky_cache_size',
    help: 'Workflows that a worker caches in memory.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_request_failure_total',
    help: 'Failed requests to the Temporal server, by operation and status_code.',
    isAlwaysThere: false,
  },
];
