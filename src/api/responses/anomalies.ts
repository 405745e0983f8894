import type { Anomaly } from './response-reader.ts';

export interface ResponseAnomaly extends Anomaly {
  operation: string;
}

/** Maximum number of anomalies reported by one client. */
const maxReported = 200;

/** Wraps `report` so that each distinct anomaly is reported only once, and at most `maxReported` anomalies in total. */
export function reportAnomaliesOnce(
  report: (anomaly: ResponseAnomaly) => void,
): (operation: string, anomalies: readonly Anomaly[]) => void {
  const reportedNames = new Set<string>();
  return (operation, anomalies) => {
    for (const { path, what } of anomalies) {
      const name = `${operation} ${path} ${what}`;
      if (reportedNames.has(name) || reportedNames.size >= maxReported) continue;
      reportedNames.add(name);
      report({ operation, path, what });
    }
  };
}
