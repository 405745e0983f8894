// Checks of `doctor` about the platform and Temporal: connection, permissions, clocks, workers.
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { clockWords } from '../../api/clock.ts';
import { httpAgent } from '../../api/http-agents.ts';
import { httpLibrary } from '../../api/http-library.ts';
import { faultFix, networkFault } from '../../api/network-errors.ts';
import { parseBaseUrl } from '../../api/request-url.ts';
import { readStart } from '../../api/transfer-agent.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { count } from '../../plan/count.ts';
import type { Environment } from '../../settings/environment.ts';
import { AllowanceWorkflow, allowanceKey } from '../../temporal/allowance-workflow.ts';
import { refuseUnreadable } from '../../temporal/codec/readable-runs.ts';
import type { TemporalConnection } from '../../temporal/connect.ts';
import { checkSearchAttributes, ensureSearchAttributes } from '../../temporal/search-attributes.ts';
import { findWorkers } from '../../temporal/worker-presence.ts';
import { attempt, type Check, fail, ok, warn } from '../health-check.ts';
import { listedIntakes, troubleText } from '../intakes/list.ts';
import { withPlatform } from '../platform-client.ts';
import type { Session } from '../session.ts';
import { checkVersions } from './deployments.ts';
import { checkSecrets } from './secrets.ts';

/** Certificates and signed requests to stores depend on this machine's clock, and may fail with a larger difference. */
const skewMs = 5_000;
const receiverMs = 3_000;

export async function checkPlatform(session: Session): Promise<Check[]> {
  return withPlatform(session, async (client) => {
    const sentAtMs = Date.now();
    const sentMs = performance.now();
    const { output, meta } = await client.callWithMeta(
      'getMe',
      {},
      { priority: 'interactive', maxWaitMs: 10_000 },
    );
    const { workspace, apiKey = {} } = output;
    return [
      ok('platform', `${client.baseUrl} responds in ${Math.round(performance.now() - sentMs)} ms`),
      ok(
        'workspace',
        `"${workspace.name ?? workspace.id}", key ${apiKey.name ?? 'without a name'}`,
      ),
      ...expiry(apiKey.expiresAt ?? null, client.now()),
      checkClock(meta.date, (sentAtMs + Date.now()) / 2),
    ];
  });
}

/** Far larger than the health response of any receiver. */
const healthBytes = 64 * 1024;

const Trouble = z.object({ count: z.number(), lastAt: z.string(), cause: z.string() });
const Fault = z.object({ message: z.string(), fix: z.string() });
const ReceiverAnswer = z.object({
  fault: Fault.nullable().default(null),
  takenAt: z.string().nullable().default(null),
  troubles: z.record(z.string(), Trouble).default({}),
});

/** Checks that the receiver in the settings responds and accepts the platform's notifications. */
export async function checkReceiver(hintsUrl: string): Promise<Check[]> {
  const name = 'receiver';
  const { origin, host } = new URL(hintsUrl);
  const fix =
    'Start it: renderline webhooks. It is optional: without it, waits poll once a second.';
  const agent = httpAgent('any', { connectMs: receiverMs });
  try {
    const { statusCode, body } = await httpLibrary().request(`${origin}/health`, {
      dispatcher: agent,
      signal: AbortSignal.timeout(receiverMs),
    });
    const text = await readStart(body, healthBytes);
    if (statusCode !== 200) return [warn(name, `${origin} responds with ${statusCode}`, fix)];
    return receiverChecks(origin, text);
  } catch (error) {
    const fault = networkFault(error, host);
    const why = fault === null ? '' : `: ${fault.reason}`;
    return [warn(name, `${origin} does not respond${why}`, (fault && faultFix(fault)) ?? fix)];
  } finally {
    await agent.destroy();
  }
}

function receiverChecks(origin: string, text: string): Check[] {
  const name = 'receiver';
  const health = ReceiverAnswer.safeParse(jsonOf(text));
  if (!health.success) {
    const fix = 'Correct RENDERLINE_HINTS_URL: `renderline webhooks` prints it when it starts.';
    return [warn(name, `the server at ${origin} is not a receiver`, fix)];
  }
  const { fault, takenAt, troubles } = health.data;
  const last = takenAt === null ? '' : `, last notification accepted ${takenAt}`;
  return [
    fault === null
      ? ok(name, `${origin} responds${last}`)
      : warn(name, `${origin} refuses notifications that start runs: ${fault.message}`, fault.fix),
    ...Object.values(troubles).map(({ count: times, lastAt, cause }) => {
      const words = `${count(times, 'notification')} not accepted, the last ${lastAt}: ${cause}`;
      // A notification that was accepted later shows that the problem is solved.
      const isOver = takenAt !== null && takenAt > lastAt;
      return isOver ? ok(name, words) : warn(name, words, '');
    }),
  ];
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function expiry(expiresAt: string | null, nowMs: number): Check[] {
  if (expiresAt === null) return [];
  const days = (Date.parse(expiresAt) - nowMs) / 86_400_000;
  const words = `the key expires ${expiresAt}`;
  return [days > 7 ? ok('key', words) : warn('key', words, 'Create a new key in the workspace.')];
}

/** Compares this machine's clock with the platform's Date header, which has whole seconds. */
export function checkClock(date: number | undefined, nowMs: number): Check {
  if (date === undefined) return warn('clock', 'the platform sends no Date header', '');
  const apartMs = nowMs - date;
  const words = `${Math.abs(Math.round(apartMs / 1000))} s from the platform's clock`;
  if (Math.abs(apartMs) < skewMs) return ok('clock', words);
  return warn('clock', words, 'Set this machine to network time (NTP).');
}

export async function checkTemporal(
  temporal: TemporalConnection,
  taskQueue: string | null,
  register: boolean,
  env: Environment,
): Promise<Check[]> {
  const { address, namespace } = temporal;
  return [
    ok('temporal', `${address}, namespace ${namespace}`),
    await searchAttributeLine(temporal, register),
    await workerLine(temporal, taskQueue),
    ...(taskQueue === null ? [] : await readableRuns(temporal.client, taskQueue)),
    ...(await checkVersions(temporal.client, taskQueue)),
    ...(await intakeChecks(temporal.client)),
    // Some Temporal servers do not support schedules.
    ...(await checkSecrets(temporal.client, env).catch(() => [])),
  ];
}

/** Warns of workers with a wrong clock, which workers report when they share the API key's rate limit. */
export async function checkWorkerClocks(session: Session, client: Client): Promise<Check[]> {
  const { baseUrl, apiKey } = await session.platform();
  const key = allowanceKey(parseBaseUrl(baseUrl).href, apiKey);
  const wrong = await new AllowanceWorkflow(client, key, '').wrongClocks();
  return wrong.map(({ worker, aheadMs }) =>
    warn(
      'clock',
      `the clock of worker ${worker} is ${clockWords(aheadMs)} the platform's`,
      'Set that machine to network time (NTP).',
    ),
  );
}

/** Checks that the open runs of the queue can be decrypted: with another key, or without one, no worker here would start. */
function readableRuns(client: Client, taskQueue: string): Promise<Check[]> {
  return attempt('runs', async () => {
    await refuseUnreadable(client, taskQueue);
    return [];
  });
}

async function searchAttributeLine(
  { connection, namespace }: TemporalConnection,
  register: boolean,
): Promise<Check> {
  const look = register ? ensureSearchAttributes : checkSearchAttributes;
  const { added, missing, noRoom, conflicting, reason, lines } = await look(connection, namespace);
  const name = 'search';
  if (conflicting.length > 0) {
    const names = conflicting.map((attribute) => attribute.name).join(', ');
    return fail(
      name,
      `${names} exist with another type`,
      'Remove them, then: renderline doctor --fix',
      exitCode.usage,
    );
  }
  if (missing.length === 0) {
    const news = added.length === 0 ? '' : `, ${added.length} registered now`;
    return ok(name, `search attributes are registered${news}`);
  }
  if (noRoom.length === missing.length) {
    const names = noRoom.map((attribute) => attribute.name).join(', ');
    const news = added.length === 0 ? '' : `${added.length} registered now; `;
    return warn(
      name,
      `${news}namespace ${namespace} has no room for ${names} (${reason}): runs work, but cannot be searched by it`,
      `Remove an unused search attribute (temporal operator search-attribute list --namespace ${namespace}), or use a separate namespace; then: renderline doctor --fix`,
    );
  }
  const why = reason === '' ? '' : ` (${reason})`;
  const fix = register ? lines.join('\n') : `renderline doctor --fix\n${lines.join('\n')}`;
  return warn(name, `${missing.length} search attributes are missing${why}`, fix);
}

async function workerLine(
  { client }: TemporalConnection,
  taskQueue: string | null,
): Promise<Check> {
  if (taskQueue === null) {
    const fix = 'Set the platform, or RENDERLINE_TASK_QUEUE.';
    return warn(
      'workers',
      'the task queue is named by the workspace of the API key, which is not known',
      fix,
    );
  }
  const { workers, identities } = await findWorkers(client, taskQueue, Date.now());
  if (workers > 0) return ok('workers', `${workers} at "${taskQueue}": ${identities.join(', ')}`);
  return warn('workers', `none at task queue "${taskQueue}"`, 'Start one: renderline worker');
}

/** Checks event triggers; no checks if no pipeline is started by events. */
async function intakeChecks(client: Client): Promise<Check[]> {
  const intakes = await listedIntakes(client);
  const failing = intakes.flatMap(({ intake, event, trouble }) =>
    trouble === null ? [] : [`${intake} on ${event}: ${troubleText(trouble)}`],
  );
  if (intakes.length === 0) return [];
  const hidden = intakes.filter(({ unreadable }) => unreadable !== null).length;
  const others = hidden === 0 ? '' : `, ${hidden} cannot be read here`;
  if (failing.length === 0)
    return [ok('triggers', `${intakes.length - hidden} receive events${others}`)];
  const fix = 'Events are kept: their runs start once the problem is solved.';
  return failing.map((words) => warn('triggers', words, fix));
}
