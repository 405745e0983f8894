// The committed histories, by version, scenario and workflow.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fromPlain } from '../../scripts/record/history-file.ts';
import type { ReplayHistory } from './_replay.ts';

const folder = fileURLToPath(new URL('../histories', import.meta.url));

export interface Recording {
  /** version/scenario/file */
  name: string;
  version: string;
  scenario: string;
  workflowType: string;
  text: string;
  history: ReplayHistory;
}

export function readRecordings(): Recording[] {
  if (!existsSync(folder)) return [];
  return listFolders(folder).flatMap((version) =>
    listFolders(join(folder, version)).flatMap((scenario) =>
      readdirSync(join(folder, version, scenario))
        .filter((file) => file.endsWith('.json'))
        .map((file) => read(version, scenario, file)),
    ),
  );
}

function read(version: string, scenario: string, file: string): Recording {
  const text = readFileSync(join(folder, version, scenario, file), 'utf8');
  const history = fromPlain(JSON.parse(text)) as ReplayHistory;
  const workflowType =
    history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name ?? '';
  return { name: `${version}/${scenario}/${file}`, version, scenario, workflowType, text, history };
}

function listFolders(path: string): string[] {
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
