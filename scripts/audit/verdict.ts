// Converts the output of `npm audit --json` to lines for people and an exit code. Pure.
import { z } from 'zod';

export interface Verdict {
  exit: 0 | 1;
  lines: string[];
}

const Report = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({ severity: z.string(), range: z.string().optional() }),
  ),
});
const Refusal = z.object({ message: z.string(), statusCode: z.number().optional() });

/** Status codes from a registry that only serves packages and has no audit endpoint. */
const noEndpoint = new Set([404, 405, 501]);
const severe = new Set(['high', 'critical']);

/** @param text output of npm audit. The exit code is 1 for severe findings or any error but a missing audit endpoint */
export function verdictOf(text: string): Verdict {
  const answer = parseJson(text);
  const report = Report.safeParse(answer);
  if (report.success) return judgeReport(report.data);
  const { message, statusCode } = Refusal.safeParse(answer).data ?? {
    message: text.slice(0, 400) || 'npm audit printed nothing',
  };
  if (statusCode !== undefined && noEndpoint.has(statusCode)) {
    const lines = [
      `Skipped: the registry of this machine has no audit endpoint (HTTP ${statusCode}).`,
      'Use a registry that has one: npm_config_registry=https://HOST npm run audit',
    ];
    return { exit: 0, lines };
  }
  return { exit: 1, lines: [`The audit failed: ${message}`] };
}

function judgeReport({ vulnerabilities }: z.infer<typeof Report>): Verdict {
  const vulnerablePackages = Object.entries(vulnerabilities);
  if (vulnerablePackages.length === 0)
    return { exit: 0, lines: ['No known vulnerabilities in the shipped packages.'] };
  return {
    exit: vulnerablePackages.some(([, { severity }]) => severe.has(severity)) ? 1 : 0,
    lines: vulnerablePackages.map(([name, { severity, range }]) =>
      `${severity}: ${name} ${range ?? ''}`.trim(),
    ),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
