// The recorded paths through the workflows. Each is one run that is as small as possible.

import type { Scenario } from './scenario.ts';
import { shareAllowance } from './share-allowance.ts';

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `shoe-${String(index + 1).padStart(2, '0')}`);

/** Two alternative branches, chosen by `when`, that join again. */
const alternatives = `
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: dark, type: template_match, parentIds: [ready], when: 'asset.key.startsWith("shoe")', config: { default: Hero Dark } }
  - { id: white, type: template_match, parentIds: [ready], when: 'asset.key.startsWith("hat")', config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [dark, white], config: { settings: SETTINGS } }`;

/** Two parallel branches that every asset takes and that join again. */
const bothWays = `
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: mark, type: set_properties, parentIds: [ready], config: { values: { Season: spring } } }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: shots, type: render, parentIds: [mark, look], config: { settings: SETTINGS } }`;

/** Pictures that wait for a decision. */
const approved = `
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }
  - { id: drawn, type: render, parentIds: [look], config: { settings: SETTINGS } }
  - { id: shots, type: approval, parentIds: [drawn], config: { review: review } }`;

export const scenarios: readonly Scenario[] = [
  { name: 'success', shows: 'every asset complete', ends: 'complete', models: names(4) },
  {
    name: 'partial-failure',
    shows: 'one file refused before upload, one model that the platform fails',
    ends: 'partial_failure',
    models: [...names(2), 'broken-01', 'unlucky-01'],
    faults: [{ model: 'unlucky-*', do: { failure: 'no meshes' } }],
  },
  {
    name: 'several-hosts',
    shows: 'workers on two hosts, which report which of the folders they see',
    ends: 'complete',
    models: names(1),
    otherHost: 'other',
  },
  {
    name: 'all-failed',
    shows: 'a run that closes as Failed',
    ends: 'failed',
    models: ['broken-01', 'broken-02'],
  },
  {
    name: 'pruned',
    shows: 'alternatives by `when`, one of them skipped, and an asset that skips both',
    ends: 'complete',
    models: ['shoe-01', 'hat-01', 'glove-01'],
    nodes: alternatives,
  },
  {
    name: 'retried-renders',
    shows: 'a render that fails once and is retried, one that fails for good',
    ends: 'partial_failure',
    models: ['shoe-01', 'flaky-01', 'hopeless-01'],
    maxRetries: 1,
    faults: [
      { render: 'flaky-*', times: 1, do: { failure: 'out of light' } },
      { render: 'hopeless-*', do: { failure: 'out of light' } },
    ],
  },
  {
    name: 'paused-by-cause',
    shows: 'the plan limit is reached, the run pauses, a person raises it and resumes',
    ends: 'complete',
    models: names(3),
    async meanwhile(recording) {
      await recording.untilState('paused');
      await recording.control('limits', { projects: null });
      await recording.signal('resume');
    },
  },
  {
    name: 'stopped',
    shows:
      'more assets fail than the file tolerates: shards in flight start nothing more, others never start',
    ends: 'failed',
    models: [...names(2), 'broken-01', ...names(9).slice(2)],
    shardSize: 1,
    window: 3,
    more: 'tolerate: { failures: 0 }\n',
    faults: [{ model: '*', do: { durationMs: 3_000 } }],
  },
  {
    name: 'paused-by-failures',
    shows: 'more assets fail than the file tolerates, the run pauses, a person resumes it',
    ends: 'partial_failure',
    models: [...names(2), 'broken-01', 'broken-02'],
    shardSize: 1,
    window: 1,
    more: 'tolerate: { failures: 0, onBreach: pause }\n',
    async meanwhile(recording) {
      await recording.untilState('paused');
      await recording.signal('resume');
    },
  },
  {
    name: 'canary',
    shows:
      'the first asset is done, a person approves, and the run continues as new without asking again',
    ends: 'complete',
    models: names(5),
    shardSize: 1,
    window: 1,
    continueAsNewAt: 30,
    more: 'canary: { assets: 1 }\n',
    async meanwhile(recording) {
      await recording.untilState('paused');
      await recording.signal('approve');
    },
  },
  {
    name: 'approval',
    shows:
      'assets wait for decisions while their shards continue as new; one is approved, then one more, and one is rejected',
    ends: 'partial_failure',
    models: names(3),
    shardSize: 2,
    continueAsNewAt: 40,
    connectors: `  review: { type: local, path: "\${{ params.out }}-review" }\n`,
    nodes: approved,
    async meanwhile(recording) {
      await recording.untilShown('shots', 3);
      await recording.decide('shots', { approved: ['shoe-01'] });
      await recording.untilEnded('shoe-01');
      await recording.decide('shots', { approved: ['shoe-03'], rejected: ['shoe-02'] });
    },
  },
  {
    name: 'shared-allowance',
    shows:
      'three workers share an allowance: one dies, one leaves, another client takes half; it continues as new',
    ends: 'complete',
    models: names(2),
    continueAsNewAt: 60,
    withShared: true,
    meanwhile: shareAllowance,
  },
  {
    name: 'audited',
    shows: 'people change schedules so often that the audit log continues as new',
    ends: 'complete',
    models: names(1),
    continueAsNewAt: 60,
    withAudit: true,
    async meanwhile(recording) {
      for (let number = 1; number <= 70; number += 1) await recording.act(number);
    },
  },
  {
    name: 'not-approved',
    shows: 'nobody approves in time, also while the run is paused: it starts nothing more',
    ends: 'failed',
    models: names(2),
    more: 'canary: { assets: 1, timeout: 3s }\n',
    async meanwhile(recording) {
      await recording.untilState('paused');
      await recording.signal('pause');
    },
  },
  {
    name: 'superseded',
    shows: 'an old model is deleted once the new version is complete',
    ends: 'complete',
    models: names(2),
    changed: names(1),
    more: 'supersede: delete-after-success\n',
  },
  {
    name: 'superseded-cancelled',
    shows:
      'a person cancels while the platform does not delete an old model; the report names what remains',
    ends: 'cancelled',
    models: names(2),
    changed: names(1),
    faults: [{ match: 'deleteModel', do: { status: 503 } }],
    more: 'supersede: delete-after-success\n',
    async meanwhile(recording) {
      await recording.untilRequests('deleteModel');
      await recording.cancel();
    },
  },
  {
    name: 'paused-by-hand',
    shows: 'a person pauses and resumes',
    ends: 'complete',
    models: names(3),
    faults: [{ model: '*', do: { durationMs: 2_000 } }],
    async meanwhile(recording) {
      await recording.untilState('running');
      await recording.signal('pause');
      await recording.untilState('paused');
      await recording.signal('resume');
    },
  },
  {
    name: 'cancelled',
    shows: 'a person cancels while renders run; what the platform still can is cancelled',
    ends: 'cancelled',
    models: names(3),
    faults: [{ render: '*', do: { durationMs: 600_000 } }],
    async meanwhile(recording) {
      await recording.untilRequests('createRenders');
      await recording.cancel();
    },
  },
  {
    name: 'cancelled-with-lost-response',
    shows:
      'a person cancels while a call gets no response; calls that are not retried are cancelled',
    ends: 'cancelled',
    models: names(2),
    faults: [{ match: 'createProjects', do: { delayMs: 40_000 } }],
    async meanwhile(recording) {
      await recording.untilRequests('createProjects');
      await recording.cancel();
    },
  },
  {
    name: 'held',
    shows:
      'a quota of renders has room for one of two: the other waits for the next month, tries again after a resume, and is cancelled',
    ends: 'cancelled',
    models: names(2),
    more: 'limits: { renders: { perMonth: 1, onBreach: wait } }\n',
    async meanwhile(recording) {
      await recording.untilRequests('listRenders');
      await recording.signal('pause');
      await recording.untilState('paused');
      await recording.signal('resume');
      await recording.untilState('running');
      await recording.cancel();
    },
  },
  {
    name: 'scheduled',
    shows: 'a run that a schedule started, which takes its id from the server',
    ends: 'complete',
    models: names(2),
    scheduled: true,
  },
  {
    name: 'continue-as-new',
    shows: 'a run of many shards that continues as new when its window has drained',
    ends: 'complete',
    models: names(8),
    shardSize: 1,
    window: 2,
    continueAsNewAt: 30,
  },
  {
    name: 'continued-with-shards',
    shows:
      'a run of many shards that continues as new while some are open, which report their end by signals',
    ends: 'complete',
    models: names(6),
    faults: [{ render: '**', do: { durationMs: 3_000 } }],
    shardSize: 1,
    window: 2,
    continueAsNewAt: 20,
  },
  {
    name: 'on-event',
    shows: 'an event trigger that batches an event and starts a run for its model',
    ends: 'complete',
    models: [],
    onEvent: 'model.processed',
  },
  {
    name: 'on-event-continued',
    shows: 'an event trigger that continues as new once it has started a run',
    ends: 'complete',
    models: [],
    onEvent: 'model.processed',
    continueAsNewAt: 12,
  },
  {
    name: 'on-event-without-object',
    shows: 'an event trigger whose event names no object, so that a sweep finds it',
    ends: 'complete',
    models: [],
    onEvent: 'project.created',
    nodes: `
  - { id: shots, type: render, parentIds: [ready], config: { settings: SETTINGS } }`,
  },
  {
    name: 'colorways',
    shows:
      'models of the platform get a colorway; one job fails and is retried; the new variants are rendered',
    ends: 'complete',
    models: [],
    onPlatform: ['lamp-01', 'flaky-01'],
    materials: ['Oak'],
    maxRetries: 1,
    faults: [{ colorway: 'flaky-*', times: 1, do: { failure: 'no UV set' } }],
    root: '{ id: colorway, type: variant, config: { modelScope: { type: all }, swapRules: [{ matchText: body, matchMode: contains, material: Oak }] } }',
    nodes: `
  - { id: shots, type: render, parentIds: [colorway], config: { settings: SETTINGS } }`,
  },
  {
    name: 'notified',
    shows: 'a workflow of its own notifies a receiver; the run does not wait for it',
    ends: 'complete',
    models: names(1),
    more: 'notify: [{ url: "http://127.0.0.1:9/ended", secretFrom: RENDERLINE_SECRET_NOBODY_HAS }]\n',
  },
  {
    name: 'reported',
    shows: 'a run writes its report beside its files before it ends',
    ends: 'complete',
    models: names(1),
    more: 'report: reports\n',
  },
  {
    name: 'listed',
    shows: 'a run lists its files in a manifest before it ends',
    ends: 'complete',
    models: names(1),
    deliver: ', manifest: { path: manifest.csv, changes: changes.csv }',
  },
  {
    name: 'detached-shard',
    shows:
      'a receiver of assets does not respond: their shard is detached, and they end with a warning',
    ends: 'complete',
    models: names(2),
    shardSize: 1,
    window: 1,
    after: `  - id: notify
    type: notify
    parentIds: [deliver]
    timeout: 20s
    config: { url: "http://127.0.0.1:9/assets", secretFrom: RENDERLINE_SECRET_NOBODY_HAS, onFailure: ignore }
`,
  },
  {
    name: 'diamond',
    shows: 'two branches that every asset takes, and one call after both',
    ends: 'complete',
    models: names(3),
    properties: ['Season'],
    nodes: bothWays,
  },
  {
    name: 'five-hundred',
    shows: 'full calls, merged waits and batches of results, in two shards',
    ends: 'partial_failure',
    models: [...names(499), 'unlucky-01'],
    faults: [{ model: 'unlucky-*', do: { failure: 'no meshes' } }],
  },
  {
    name: 'slow',
    shows: 'more than a minute: some end long before others, which are polled at growing intervals',
    ends: 'complete',
    models: [...names(4), 'late-01', 'late-02'],
    faults: [
      { model: 'late-01', do: { durationMs: 30_000 } },
      { model: 'late-02', do: { durationMs: 65_000 } },
    ],
  },
  {
    name: 'late',
    shows: 'a run that is expected to miss its deadline, misses it, and goes on',
    ends: 'complete',
    models: names(2),
    more: `deadline: { within: 1m }
notify: [{ url: "http://127.0.0.1:9/late", secretFrom: RENDERLINE_SECRET_NOBODY_HAS, on: [late] }]
`,
    faults: [{ render: '*', do: { durationMs: 70_000 } }],
  },
  {
    name: 'paused-shards',
    shows: 'a person pauses while several shards are open and others have not started, and resumes',
    ends: 'complete',
    models: names(8),
    shardSize: 2,
    window: 2,
    faults: [{ model: '*', do: { durationMs: 2_000 } }],
    async meanwhile(recording) {
      await recording.untilRequests('createJob');
      await recording.signal('pause');
      await recording.untilState('paused');
      await recording.signal('resume');
    },
  },
];
