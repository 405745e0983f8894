// Checks of `doctor` about the platform and Temporal: connection, permissions, clocks and workers.
import type { Client, ScheduleDescription } from '@temporalio/client';
import { z } from 'zod';
import { formatClockSkew } from '../../api/clock.ts';
import { classify } from '../../api/errors/retry.ts';
import { createHttpAgent } from '../../api/network/http-agents.ts';
import { loadHttpLibrary } from '../../api/network/load-http-library.ts';
import { classifyNetworkError, findNetworkErrorFix } from '../../api/network/network-errors.ts';
import { readStart } from '../../api/network/transfer-agent.ts';
import { parseBaseUrl } from '../../api/requests/request-url.ts';
import { tryParseJson } from '../../api/responses/bounded-json.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { describePause, resumeAllCommand } from '../../plan/run/general-pause.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { assertRunsReadable } from '../../temporal/runs/assert-runs-readable.ts';
import { listGeneralPauses } from '../../temporal/runs/general-pause.ts';
import { checkSearchAttributes, ensureSearchAttributes } from '../../temporal/search-attributes.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import type { App } from '../app.ts';
import { withPlatform } from '../platform-client.ts';
import { describeTrouble, listEventTriggers } from '../schedules/event-triggers.ts';
import { findUnreadableNote, scheduleNameOf } from '../schedules/schedule-facts.ts';
import { describeSchedules, listScheduleIds } from '../schedules/temporal-schedules.ts';
import { AllowanceWorkflow, allowanceKeyOf } from '../worker/coordination/allowance-workflow.ts';
import { checkCalendars } from './calendars.ts';
import { checkVersions } from './deployments.ts';
import {
  type Check,
  checkIfSupported,
  createCheck,
  createFailedCheck,
  createPassedCheck,
  createWarningCheck,
  runCheck,
} from './health-check.ts';
import { checkHttpStarts, checkSecrets } from './secrets.ts';

/** With a larger difference, certificates and signed requests to stores, which depend on this clock, may fail. */
const maxClockSkewMs = 5_000;
const receiverTimeoutMs = 3_000;
const maxSchedulesRead = 50;

/** @param maxWaitMs maximum wait for the rate limit */
export async function checkPlatform(app: App, maxWaitMs = 10_000): Promise<Check[]> {
  const checks = withPlatform(app, async (client) => {
    const sentAtMs = app.now();
    const startedAtMs = performance.now();
    const options = { priority: 'interactive', maxWaitMs } as const;
    const { output, meta } = await client.callWithMeta('getMe', {}, options);
    const elapsedMs = Math.round(performance.now() - startedAtMs);
    const { workspace, apiKey = {} } = output;
    const identity = `"${workspace.name ?? workspace.id}", key ${apiKey.name ?? 'without a name'}`;
    return [
      createPassedCheck('platform', `${client.baseUrl} responds in ${elapsedMs} ms`),
      createPassedCheck('workspace', identity),
      ...checkKeyExpiry(apiKey.expiresAt ?? null, client.now()),
      checkClock(meta.platformAtMs, (sentAtMs + app.now()) / 2),
    ];
  });
  return checks.catch((error: unknown) => {
    const decision = classify(error);
    if (decision.kind !== 'rate') throw error;
    const message =
      'it responds, but workers and other programs use the whole rate limit of the API key';
    const fix = `Check again in ${Math.ceil(decision.delayMs / 1000)} s, or when fewer runs are open: renderline doctor`;
    return [createWarningCheck('platform', message, fix)];
  });
}

/** This limit is far larger than the health response of any receiver. */
const maxHealthBytes = 64 * 1024;

const DeliveryProblem = z.object({ count: z.number(), lastAt: z.string(), cause: z.string() });
const ReceiverProblem = z.object({ message: z.string(), fix: z.string() });
const ReceiverHealth = z.object({
  fault: ReceiverProblem.nullable().default(null),
  takenAt: z.string().nullable().default(null),
  troubles: z.record(z.string(), DeliveryProblem).default({}),
  runs: z.object({ pipelines: z.number().nullable() }).nullable().default(null),
});

/** Checks that the receiver in the settings responds and accepts the platform's notifications. */
export async function checkReceiver(wakeUpsUrl: string): Promise<Check[]> {
  const name = 'receiver';
  const { origin, host } = new URL(wakeUpsUrl);
  const fix =
    'Start a receiver: renderline webhooks. Without a receiver, waits poll once per second.';
  const agent = createHttpAgent('any', { connectMs: receiverTimeoutMs });
  try {
    const { statusCode, body } = await loadHttpLibrary().request(`${origin}/health`, {
      dispatcher: agent,
      signal: AbortSignal.timeout(receiverTimeoutMs),
    });
    const text = await readStart(body, maxHealthBytes);
    if (statusCode !== 200)
      return [createWarningCheck(name, `${origin} responds with status ${statusCode}`, fix)];
    return checkReceiverHealth(origin, text);
  } catch (error) {
    const networkError = classifyNetworkError(error, host);
    const reasonText = networkError === null ? '' : `: ${networkError.reason}`;
    const networkFix = networkError && findNetworkErrorFix(networkError);
    return [createWarningCheck(name, `${origin} does not respond${reasonText}`, networkFix ?? fix)];
  } finally {
    await agent.destroy();
  }
}

function checkReceiverHealth(origin: string, text: string): Check[] {
  const name = 'receiver';
  const health = ReceiverHealth.safeParse(tryParseJson(text));
  if (!health.success) {
    const fix =
      'Correct RENDERLINE_WAKE_UPS_URL: `renderline webhooks` prints the URL at its start.';
    return [createWarningCheck(name, `the server at ${origin} is not a receiver`, fix)];
  }
  const { fault, takenAt, troubles, runs } = health.data;
  const starts =
    runs === null ? 'starting runs over HTTP is disabled' : 'starting runs over HTTP is enabled';
  const last = takenAt === null ? '' : `, last notification accepted ${takenAt}`;
  return [
    fault === null
      ? createPassedCheck(name, `${origin} responds, ${starts}${last}`)
      : createWarningCheck(
          name,
          `${origin} refuses notifications that start runs: ${fault.message}`,
          fault.fix,
        ),
    ...Object.values(troubles).map(({ count: times, lastAt, cause }) => {
      const summary = `${formatCount(times, 'notification')} rejected, the last at ${lastAt}: ${cause}`;
      // If a later notification was accepted, the problem has been solved.
      return createCheck(takenAt !== null && takenAt > lastAt, name, summary, '');
    }),
  ];
}

function checkKeyExpiry(expiresAt: string | null, nowMs: number): Check[] {
  if (expiresAt === null) return [];
  const days = (Date.parse(expiresAt) - nowMs) / 86_400_000;
  const fix = 'Create a new key in the workspace.';
  return [createCheck(days > 7, 'key', `the key expires on ${expiresAt}`, fix)];
}

/** Compares this machine's clock with the platform's Date header, which is given in whole seconds. */
export function checkClock(platformAtMs: number | undefined, nowMs: number): Check {
  if (platformAtMs === undefined)
    return createWarningCheck('clock', 'the platform sends no Date header', '');
  const differenceMs = nowMs - platformAtMs;
  const message = `${Math.abs(Math.round(differenceMs / 1000))} s from the platform's clock`;
  const isSmall = Math.abs(differenceMs) < maxClockSkewMs;
  return createCheck(isSmall, 'clock', message, "Synchronize this machine's clock (NTP).");
}

export async function checkTemporal(
  { env, now }: App,
  temporal: TemporalConnection,
  taskQueue: string | null,
  register: boolean,
): Promise<Check[]> {
  const { address, namespace, client } = temporal;
  const nowMs = now();
  return [
    createPassedCheck('temporal', `${address}, namespace ${namespace}`),
    await checkAttributes(temporal, register),
    await checkWorkers(temporal, taskQueue, nowMs),
    ...(taskQueue === null ? [] : await checkReadableRuns(client, taskQueue)),
    ...(taskQueue === null ? [] : await checkVersions(client, taskQueue)),
    ...(await checkEventTriggers(client)),
    ...(await checkPauses(client)),
    ...(taskQueue === null
      ? []
      : await checkIfSupported('http', () => checkHttpStarts(client, taskQueue, env))),
    // Some Temporal servers do not support schedules.
    ...(await checkIfSupported('schedules', async () => {
      // Only the first schedules are read, because each one costs a request.
      const ids = (await listScheduleIds(client)).slice(0, maxSchedulesRead);
      const schedules = await describeSchedules(client, ids);
      return [
        ...checkReadableSchedules(schedules, taskQueue),
        ...checkSecrets(schedules, env),
        ...(await checkCalendars(schedules, nowMs)),
      ];
    })),
  ];
}

/** Warns about schedules of the queue whose secrets and calendars are unknown because they cannot be decrypted here. */
export function checkReadableSchedules(
  schedules: readonly ScheduleDescription[],
  taskQueue: string | null,
): Check[] {
  return schedules.flatMap((live) => {
    const note = live.action.taskQueue === taskQueue ? findUnreadableNote(live) : null;
    return note
      ? [createWarningCheck('schedules', `${scheduleNameOf(live)}: ${note.message}`, note.fix)]
      : [];
  });
}

/** Warns about workers with a wrong clock. Workers report their clocks when they share the API key's rate limit. */
export async function checkWorkerClocks(app: App, client: Client): Promise<Check[]> {
  const { baseUrl, apiKey } = await app.platform();
  const key = allowanceKeyOf(parseBaseUrl(baseUrl).href, apiKey);
  const wrong = await new AllowanceWorkflow(client, key, '').listWrongClocks();
  return wrong.map(({ worker, aheadMs }) =>
    createWarningCheck(
      'clock',
      `the clock of worker ${worker} is ${formatClockSkew(aheadMs)} the platform's`,
      'Synchronize the clock of that machine (NTP).',
    ),
  );
}

/** Checks that the open runs of the queue can be decrypted here. If they cannot, no worker would start here. */
function checkReadableRuns(client: Client, taskQueue: string): Promise<Check[]> {
  return runCheck('runs', async () => {
    await assertRunsReadable(client, taskQueue);
    return [];
  });
}

async function checkAttributes(
  { connection, namespace }: TemporalConnection,
  register: boolean,
): Promise<Check> {
  const readAttributes = register ? ensureSearchAttributes : checkSearchAttributes;
  const attributes = await readAttributes(connection, namespace);
  const { added, missing, overLimit, conflicting, reason, lines } = attributes;
  const name = 'search';
  const namesOf = (attributes: typeof missing) => attributes.map((one) => one.name).join(', ');
  if (conflicting.length > 0) {
    const message = `already registered with another type: ${namesOf(conflicting)}`;
    const fix = 'Remove these search attributes, then: renderline doctor --fix';
    return createFailedCheck(name, message, fix, exitCode.usage);
  }
  if (missing.length === 0) {
    const registered = added.length === 0 ? '' : `, ${added.length} registered now`;
    return createPassedCheck(name, `search attributes are registered${registered}`);
  }
  if (overLimit.length === missing.length) {
    const registered = added.length === 0 ? '' : `${added.length} registered now; `;
    const noun = overLimit.length === 1 ? 'this attribute' : 'these attributes';
    return createWarningCheck(
      name,
      `${registered}namespace ${namespace} has no room for ${namesOf(overLimit)} (${reason}): runs work, but cannot be searched by ${noun}`,
      `Remove an unused search attribute (temporal operator search-attribute list --namespace ${namespace}), or use a separate namespace; then: renderline doctor --fix`,
    );
  }
  const reasonText = reason === '' ? '' : ` (${reason})`;
  const fix = register ? lines.join('\n') : `renderline doctor --fix\n${lines.join('\n')}`;
  return createWarningCheck(
    name,
    `${formatCount(missing.length, 'search attribute')} missing${reasonText}`,
    fix,
  );
}

async function checkWorkers(
  { client }: TemporalConnection,
  taskQueue: string | null,
  nowMs: number,
): Promise<Check> {
  if (taskQueue === null) {
    return createWarningCheck(
      'workers',
      'the task queue is unknown: none is configured, and the workspace of the API key could not be read',
      'Correct the failed checks of the API key and the platform above, or set RENDERLINE_TASK_QUEUE.',
    );
  }
  const { workers, identities } = await findWorkers(client, taskQueue, nowMs);
  return workers > 0
    ? createPassedCheck('workers', `${workers} on "${taskQueue}": ${identities.join(', ')}`)
    : createWarningCheck(
        'workers',
        `no workers on task queue "${taskQueue}"`,
        'Start a worker: renderline worker',
      );
}

async function checkPauses(client: Client): Promise<Check[]> {
  const pauses = await listGeneralPauses(client);
  return pauses.map((pause) =>
    createWarningCheck('paused', describePause(pause), `To continue: ${resumeAllCommand(pause)}`),
  );
}

/** Checks event triggers. Returns no checks if no pipeline is started by events. */
async function checkEventTriggers(client: Client): Promise<Check[]> {
  const triggers = await listEventTriggers(client);
  const fix = 'Events are kept: their runs start once the problem is solved.';
  const failing = triggers.flatMap(({ pipeline, event, trouble }) => {
    if (trouble === null) return [];
    return createWarningCheck(
      'triggers',
      `${pipeline} on ${event}: ${describeTrouble(trouble)}`,
      fix,
    );
  });
  if (triggers.length === 0 || failing.length > 0) return failing;
  const hidden = triggers.filter(({ unreadable }) => unreadable !== null).length;
  const others = hidden === 0 ? '' : `, ${hidden} cannot be read here`;
  return [createPassedCheck('triggers', `${triggers.length - hidden} active${others}`)];
}
