// Metrics of Temporal's SDK that our dashboard, our alert rules and our page of metrics name. Workers have many more.

export interface SdkMetric {
  /** As Prometheus has it. */
  name: string;
  help: string;
  /** False where the first failure makes it. */
  isAlwaysThere: boolean;
}

export const sdkMetrics: readonly SdkMetric[] = [
  {
    name: 'temporal_worker_task_slots_available',
    help: 'Tasks that a worker could take beside those it does, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_worker_task_slots_used',
    help: 'Tasks that a worker does now, by task queue and worker_type.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_schedule_to_start_latency_seconds',
    help: 'How long tasks of workflows waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_activity_schedule_to_start_latency_seconds',
    help: 'How long activities waited for a worker.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_workflow_task_execution_failed_total',
    help: 'Tasks of workflows that failed, by failure_reason: NonDeterminismError after a bad deploy.',
    isAlwaysThere: false,
  },
  {
    name: 'temporal_sticky_cache_size',
    help: 'Workflows that a worker keeps in memory.',
    isAlwaysThere: true,
  },
  {
    name: 'temporal_request_failure_total',
    help: 'Requests to the Temporal server that failed, by operation and status_code.',
    isAlwaysThere: false,
  },
];
