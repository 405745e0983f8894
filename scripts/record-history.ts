// `npm run record -- <scenario>…`: runs a scenario on the real stack and saves its histories for replay tests.
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { findTemporalServer } from '../src/temporal/server/find-server.ts';
import { recordingText } from './record/history-file.ts';
import {
  firstOf,
  type RecordingEnvironment,
  withRecordingEnvironment,
} from './record/recording-environment.ts';
import type { Scenario } from './record/scenario.ts';
import { scenarios } from './record/scenarios.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function recordingsFolder(): Promise<string> {
  const manifest = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as {
    version: string;
  };
  return join(root, 'test', 'histories', manifest.version);
}

function choose(names: readonly string[]): Scenario[] {
  if (names.length === 0 || names.includes('all')) return [...scenarios];
  return names.map((name) => {
    const match = scenarios.find((scenario) => scenario.name === name);
    if (match) return match;
    const scenarioNames = scenarios.map((scenario) => scenario.name).join(', ');
    throw new Error(`no scenario is called "${name}"; there are all, ${scenarioNames}`);
  });
}

async function record(scenario: Scenario, folder: string, binary: string): Promise<void> {
  if (existsSync(folder)) {
    throw new Error(
      `${folder} exists. A recording is never overwritten to make a red test green (workflows/REPLAY.md); ` +
        'of a version that was never released you may delete it first.',
    );
  }
  say(`${scenario.name}: ${scenario.shows}`);
  const histories = await withRecordingEnvironment(scenario, binary, async (recording) => {
    await scenario.meanwhile?.(recording);
    const outcome = await recording.ended();
    if (outcome !== scenario.ends) {
      throw new Error(
        `${scenario.name} ended as ${outcome}, not as ${scenario.ends}; nothing was recorded`,
      );
    }
    return fetchHistories(recording, scenario);
  });
  await mkdir(folder, { recursive: true });
  for (const [name, history] of histories) {
    await writeFile(join(folder, `${name}.json`), history);
  }
  say(`  ${histories.size} histories in ${folder}`);
}

/**
 * Returns histories by numbered name: those of the scenario's workflows, their continuations and their child workflows.
 */
async function fetchHistories(
  { workflows, run, eventTrigger, audit, shared, folder }: RecordingEnvironment,
  { withShared = false, withAudit = false }: Scenario,
): Promise<Map<string, string>> {
  const historyByName = new Map<string, string>();
  const handles = await Promise.all(
    [
      run,
      eventTrigger,
      ...(withAudit ? [audit] : []),
      ...(withShared ? Object.values(shared) : []),
    ].flatMap((id) => (id === null ? [] : [firstOf(workflows, id)])),
  );
  for (const handle of handles) {
    const { workflowId } = handle;
    const history = await handle.fetchHistory();
    for (const event of history.events ?? []) {
      const child = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution;
      if (child?.workflowId && child.workflowId !== run) {
        handles.push(workflows.getHandle(child.workflowId, child.runId ?? undefined));
      }
      const next = event.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
      if (next) handles.push(workflows.getHandle(workflowId, next));
    }
    const [kind] = Object.entries({ ...shared, audit }).find(([, id]) => id === workflowId) ?? [];
    const part = kind ?? partOf(workflowId, run, eventTrigger);
    const name = `${String(historyByName.size + 1).padStart(2, '0')}-${part}`;
    // An event trigger derives the id of its run, and a replay must derive the same id, so the id is kept.
    const names = eventTrigger === null ? { [run]: 'recorded-run' } : {};
    historyByName.set(name, recordingText(history, { [folder]: '/recorded', ...names }));
  }
  return historyByName;
}

function partOf(workflowId: string, run: string, eventTrigger: string | null): string {
  if (workflowId === eventTrigger) return 'event-trigger';
  return workflowId === run ? 'run' : workflowId.slice(run.length + 1);
}

Runtime.install({ logger: new DefaultLogger('ERROR') });
const { path: binary } = await findTemporalServer({ env: process.env, onProgress: say });
const base = await recordingsFolder();
for (const scenario of choose(process.argv.slice(2))) {
  await record(scenario, join(base, scenario.name), binary);
}
