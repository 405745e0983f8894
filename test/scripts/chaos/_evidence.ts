// The evidence of a correct round, and the result of the check if a part of the evidence is changed.
import { checkRound } from '../../../scripts/chaos/check/check.ts';
import type {
  Evidence,
  PipelineEvidence,
  PlatformState,
  ShownRun,
} from '../../../scripts/chaos/check/evidence.ts';

export const model = {
  id: 'm',
  name: 'shoe',
  fileName: 'shoe.glb',
  file: { sha256: 'source' },
};
export const project = { id: 'p', modelIds: ['m'], templateId: 'tpl' };
export const job = { id: 'j', projectId: 'p', outputIds: ['o1', 'o2'] };
export const record = {
  key: 'shoe',
  platformIds: { modelId: 'm', projectId: 'p', jobId: 'j' },
  files: [
    { path: 'shoe-1.png', sha256: 'picture 1' },
    { path: 'shoe-2.png', sha256: 'picture 2' },
  ],
};

/** One asset of one pipeline, delivered with two pictures. */
function platformState(): PlatformState {
  return {
    starts: 1,
    models: [model],
    projects: [project],
    renderJobs: [job],
    outputs: [{ id: 'o1' }, { id: 'o2' }],
    colorwayJobs: [{ id: 'c', modelId: 'm' }],
    captures: [],
    exports: [],
    productionFiles: [],
    templates: [],
    items: [],
    contents: new Map([
      ['o1', 'picture 1'],
      ['o2', 'picture 2'],
    ]),
  };
}

export function pipeline(): PipelineEvidence {
  return {
    name: 'stills',
    sharingPipelines: 1,
    outputs: 2,
    sources: new Map([['shoe', ['source']]]),
    templateId: 'tpl',
    delivered: new Map([
      ['shoe-1.png', 'picture 1'],
      ['shoe-2.png', 'picture 2'],
    ]),
    temporary: [],
    records: [record],
    claims: [],
  };
}

export function run(): ShownRun {
  return {
    run: 'run-1',
    pipeline: 'stills',
    outcome: 'complete',
    assets: { total: 1, complete: 1, failed: 0, skipped: 0, unchanged: 0 },
    files: [],
    failures: [],
    warnings: [],
    results: [{ key: 'shoe', outcome: 'complete' }],
    requests: { total: 20 },
  };
}

export interface Parts {
  platformState?: Partial<PlatformState>;
  pipeline?: Partial<PipelineEvidence>;
  run?: Partial<ShownRun>;
  rest?: Partial<Evidence>;
}

export function found(parts: Parts = {}): string[] {
  const evidence: Evidence = {
    unfinished: [],
    pipelines: [{ ...pipeline(), ...parts.pipeline }],
    libraries: [],
    platformState: { ...platformState(), ...parts.platformState },
    runs: [{ ...run(), ...parts.run }],
    openRuns: [],
    replayed: [{ workflow: 'run-1', events: 60, problem: null }],
    leaks: [],
    network: { requests: 100, refusals: 0, keysSentToStorage: 0 },
    ...parts.rest,
  };
  return checkRound(evidence).map(({ invariant, what }) => `${invariant} ${what}`);
}

export const counts = run().assets;
export const capture = { id: 'k', modelId: 'm', variantId: 'v' };
export const limits = { models: 9, projects: 9, renders: 9, requests: 100 };
export const sharedFolderPipelines: PipelineEvidence[] = [
  { ...pipeline(), sharingPipelines: 2 },
  {
    ...pipeline(),
    name: 'dark',
    sharingPipelines: 2,
    records: [{ ...record, platformIds: { modelId: 'm2', projectId: 'p2', jobId: 'j2' } }],
  },
];
export const claim = { file: 'claims/shoe.json', key: 'shoe', run: 'run-1', state: 'working' };

export const guid = '01234567-89ab-4cde-8f01-23456789abcd';
export const duplicateWarning = (sent: string) => ({
  key: 'shoe',
  message: `${sent}, so its work may have been done, and counted, twice`,
});
