// Options of workers and receivers for the addresses of their health and metrics endpoints.
import { createPortParser } from '../params.ts';

export const healthOptions = {
  port: [
    '--health-port <n>',
    'serve /healthz and /readyz on this port; 0 picks a free port (RENDERLINE_HEALTH_PORT)',
    createPortParser('--health-port'),
  ],
  host: [
    '--health-host <address>',
    'address of these probes; 0.0.0.0 for a kubelet (RENDERLINE_HEALTH_HOST, default 127.0.0.1)',
  ],
} as const;

export const metricsOptions = {
  port: [
    '--metrics-port <n>',
    'serve metrics for Prometheus at /metrics; 0 picks a free port (RENDERLINE_METRICS_PORT)',
    createPortParser('--metrics-port'),
  ],
  host: [
    '--metrics-host <address>',
    'address of the metrics (RENDERLINE_METRICS_HOST, default 127.0.0.1)',
  ],
} as const;
