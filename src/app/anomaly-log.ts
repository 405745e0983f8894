// Logs responses of the platform that differ from its API reference.
import type { ResponseAnomaly } from '../api/responses/anomalies.ts';
import type { Logger } from '../settings/logger.ts';

export function logAnomaly(logger: Logger, anomaly: ResponseAnomaly): void {
  logger.warn({ ...anomaly }, 'the response of the platform differs from its API reference');
}
