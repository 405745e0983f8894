import { describe, expect, it, test } from 'vitest';
import { checkDeploymentView } from '../../../src/app/doctor/deployments.ts';
import { readVersionRequest } from '../../../src/app/worker/worker-version.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import { behaviors, pinnedTypes } from '../../../src/plan/contract/versioning.ts';
import {
  type Deployment,
  findPreviousVersion,
} from '../../../src/temporal/deployments/deployment.ts';
import {
  computeRoutingStatus,
  formatRoutingStatus,
} from '../../../src/temporal/deployments/routing-status.ts';
import type {
  DeploymentView,
  VersionView,
} from '../../../src/temporal/deployments/version-views.ts';
import {
  toVersionedCode,
  toVersionedOptions,
} from '../../../src/temporal/deployments/versioned-options.ts';
import { buildIdOf, isVersionName } from '../../../src/temporal/deployments/worker-version.ts';
import { formatReplayProblem } from '../../../src/temporal/runs/replay-histories.ts';

const mine = { deployment: 'shop', buildId: 'b2' };
const others = { deployment: 'shop', buildId: 'b1' };
const pollers = (unversioned: number, ...versions: [string, number][]) => ({
  unversioned,
  versions: new Map(versions),
  silentMs: new Map<string, number>(),
});

describe('a build id', () => {
  it('a build id depends on the code, not on the folder in which it was built', () => {
    const map = (folder: string) => `\n//# sourceMappingURL=data:application/json;base64,${folder}`;
    expect(buildIdOf(`code${map('L2E=')}`)).toBe(buildIdOf(`code${map('L2I=')}`));
    expect(buildIdOf('code')).not.toBe(buildIdOf('other code'));
    expect(isVersionName(buildIdOf('code'))).toBe(true);
  });

  it.each(['', 'a:b', '__x', 'a b', '-a', 'x'.repeat(101), 'a/b'])(
    'a build id may not be %j',
    (name) => {
      expect(isVersionName(name)).toBe(false);
    },
  );

  it('a build id is read from a flag, then from a variable', () => {
    const env = { RENDERLINE_BUILD_ID: 'v1', RENDERLINE_DEPLOYMENT: 'shop' };
    expect(readVersionRequest({ buildId: 'v2' }, env)).toEqual({
      deployment: 'shop',
      buildId: 'v2',
    });
    expect(readVersionRequest({}, env)).toEqual({ deployment: 'shop', buildId: 'v1' });
    expect(readVersionRequest({}, {}).deployment).toBeUndefined();
    expect(() => readVersionRequest({ deployment: 'a:b' }, {})).toThrow('--deployment "a:b"');
  });

  it('a deployment may have a name that starts with a namespace, as in the Worker Controller, but a build id may not', () => {
    expect(readVersionRequest({ deployment: 'prod/shop' }, {}).deployment).toBe('prod/shop');
    expect(() => readVersionRequest({ deployment: 'prod/shop/b' }, {})).toThrow('"prod/shop/b"');
    expect(() => readVersionRequest({ buildId: 'prod/b2' }, {})).toThrow('--build-id "prod/b2"');
  });
});

describe('behaviors', () => {
  it('each workflow has a behavior, and runs and shards are pinned', () => {
    expect(Object.keys(behaviors).toSorted()).toEqual(Object.values(workflowNames).toSorted());
    expect(pinnedTypes).toEqual([workflowNames.run, workflowNames.shard]);
  });

  it('behaviors are set only by workers with a version, and do not change line numbers', () => {
    expect(toVersionedOptions(undefined)).toEqual({});
    expect(toVersionedCode('first\nsecond').split('\n')).toHaveLength(2);
  });
});

describe('the routing status of a version', () => {
  it.each([
    ['current', { current: mine, ramping: null }, pollers(0), { kind: 'current' }],
    [
      'ramping',
      { current: others, ramping: { version: mine, percent: 10 } },
      pollers(0),
      { kind: 'ramping', percent: 10 },
    ],
    [
      'not current, but another build is',
      { current: others, ramping: null },
      pollers(0, ['shop:b1', 2]),
      { kind: 'not-current', current: others, currentHasWorkers: true },
    ],
    [
      'not current, but a build without workers is',
      { current: others, ramping: null },
      pollers(3, ['shop:b2', 1]),
      { kind: 'not-current', current: others, currentHasWorkers: false },
    ],
    [
      'not current, but workers without a version are',
      { current: null, ramping: null },
      pollers(1),
      { kind: 'not-current', current: null, currentHasWorkers: true },
    ],
  ] as const)('the version is %s', (_name, routing, asking, standing) => {
    expect(computeRoutingStatus(mine, routing, asking)).toEqual(standing);
  });

  it('the routing status of a version is shown with the command that changes it', () => {
    const words = formatRoutingStatus(mine, {
      kind: 'not-current',
      current: others,
      currentHasWorkers: false,
    });
    expect(words).toContain('New runs go to workers of build b1, but no such worker is running');
    expect(words).toContain('renderline deployments set-current b2 --deployment shop');
  });
});

describe('the build that was current previously', () => {
  type Times = [currentAtMs: number | null, endedAtMs: number | null];
  const deploymentOf = (times: Record<string, Times>, current: string): Deployment => ({
    name: 'shop',
    current,
    wasRouted: true,
    ramping: null,
    versions: Object.entries(times).map(([buildId, [currentAtMs, endedAtMs]]) => ({
      buildId,
      currentAtMs,
      endedAtMs,
      status: 'draining' as const,
      createdAtMs: 0,
    })),
    conflictToken: new Uint8Array(),
  });

  test.each<[string, Record<string, Times>, string, string | undefined]>([
    ['the last of two', { c: [30, null], b: [20, 30], a: [10, 20] }, 'c', 'b'],
    ['not a build whose ramp ended later', { c: [null, 40], b: [20, null], a: [10, 20] }, 'b', 'a'],
    ['none if no other was current', { b: [20, null], a: [null, 30] }, 'b', undefined],
    ['none if there is only one build', { a: [10, null] }, 'a', undefined],
    [
      'the build that ended last, on an older server',
      { c: [null, null], b: [null, 20], a: [null, 10] },
      'c',
      'b',
    ],
    ['the other of two that alternated', { b: [20, 30], a: [30, null] }, 'a', 'b'],
  ])('the previous build is %s', (_what, times, current, expected) => {
    expect(findPreviousVersion(deploymentOf(times, current))?.buildId).toBe(expected);
  });
});

describe('doctor', () => {
  const version = (given: Partial<VersionView>): VersionView => ({
    buildId: 'b1',
    status: 'current',
    createdAtMs: 0,
    currentAtMs: null,
    endedAtMs: null,
    workers: 1,
    open: 0,
    pinned: 0,
    stranded: false,
    ...given,
  });
  const view = (...versions: VersionView[]): DeploymentView => ({
    name: 'shop',
    current: 'b1',
    wasRouted: true,
    ramping: null,
    taskQueues: ['q'],
    versions,
  });
  it.each([
    ['no warning without a problem', [version({})], pollers(0), []],
    [
      'that new runs do not start',
      [version({ workers: 0 })],
      pollers(0),
      [['new runs do not start', 'renderline deployments rollback --deployment shop']],
    ],
    [
      'runs that no worker continues',
      [
        version({}),
        version({
          buildId: 'b0',
          status: 'draining',
          workers: 0,
          open: 3,
          pinned: 2,
          stranded: true,
        }),
      ],
      pollers(0),
      [['stranded', 'renderline deployments move b0 --deployment shop']],
    ],
    [
      'runs of the current build if it has no workers, which are moved after a rollback',
      [version({ workers: 0, open: 1, pinned: 1, stranded: true })],
      pollers(0),
      [
        ['new runs do not start', 'renderline deployments rollback --deployment shop'],
        [
          'stranded',
          'renderline deployments rollback --deployment shop, then renderline deployments move b1 --deployment shop',
        ],
      ],
    ],
    [
      'no engine workflows, which move to the current build',
      [version({}), version({ buildId: 'b0', status: 'draining', workers: 0, open: 2 })],
      pollers(0),
      [],
    ],
    [
      'a build that was never made current',
      [version({}), version({ buildId: 'b2', status: 'inactive' })],
      pollers(0),
      [['build b2 is inactive', 'renderline deployments set-current b2 --deployment shop']],
    ],
    [
      'unversioned workers',
      [version({})],
      pollers(2),
      [['2 unversioned workers get no runs', '--deployment none']],
    ],
  ])('doctor reports %s', (_name, versions, asking, told) => {
    const warned = checkDeploymentView(view(...versions), asking).filter(
      ({ state }) => state === 'warn',
    );
    expect(warned.map(({ message, fix }) => [message, fix])).toEqual(
      told.map(([message, fix]) => [
        expect.stringContaining(message ?? ''),
        expect.stringContaining(fix ?? ''),
      ]),
    );
  });
});

test('a core dump is shortened to its reason', () => {
  const dump =
    'Details: failed: Failure { failure: Some(Failure { message: "[X] no \\"y\\"", source';
  expect(formatReplayProblem(dump)).toBe('[X] no \\"y\\"');
  expect(formatReplayProblem('short')).toBe('short');
});
