import { describe, expect, it, test } from 'vitest';
import { readTuningOptions } from '../../../src/app/worker/worker-tuning.ts';
import { readCpuQuota, readMachine } from '../../../src/temporal/tuning/machine.ts';
import { formatTuning, resolveTuning } from '../../../src/temporal/tuning/tuning.ts';

const gib = 1024 ** 3;
const machine = (cores: number, memory: number, heap = 4) => ({
  cores,
  memoryBytes: memory * gib,
  heapBytes: heap * gib,
});

describe('the tuning of a machine', () => {
  it.each([
    ['a laptop', machine(2, 16), 100, 2_282],
    ['one core', machine(1, 4, 2), 100, 1_082],
    ['32 cores, of which JavaScript uses one', machine(32, 64), 200, 2_282],
    ['a container of 1 GiB on a host of 64 GiB', machine(32, 1, 0.5), 200, 182],
    ['a container of 512 MiB', machine(2, 0.5, 0.25), 54, 32],
    ['a very small container', machine(1, 0.25, 0.25), 10, 10],
  ])('the tuning fits %s', (_name, has, activities, cachedWorkflows) => {
    const tuning = resolveTuning({}, has);
    expect(tuning).toMatchObject({ activities, cachedWorkflows, targets: null, pollers: 10 });
    expect(tuning.urgentActivities).toBe(Math.min(20, activities));
    expect(tuning.workflowTasks).toBe(40);
  });

  it('the tuning is overridden by options', () => {
    const asked = { maxActivities: 7, maxWorkflowTasks: 3, cachedWorkflows: 0 };
    expect(resolveTuning({ ...asked, pollers: 'auto' }, machine(2, 16))).toEqual({
      activities: 7,
      urgentActivities: 7,
      workflowTasks: 3,
      cachedWorkflows: 0,
      targets: null,
      pollers: 'auto',
    });
  });

  it('the tuning has the default target of the other resource if only one is set', () => {
    const tuning = resolveTuning({ targetMemory: 0.5 }, machine(2, 16));
    expect(tuning.targets).toEqual({ memory: 0.5, cpu: 0.9 });
    expect(formatTuning(tuning, machine(2, 16))).toContain(
      'up to 400 activities and 20 urgent ones, up to 40 workflow tasks, while memory is below 50%',
    );
  });
});

describe('the machine', () => {
  const files = (given: Record<string, string>) => (path: string) => {
    const text = given[path];
    if (text === undefined) throw new Error('ENOENT');
    return text;
  };

  it.each([
    ['no cgroup', {}, Number.POSITIVE_INFINITY],
    ['no limit', { '/sys/fs/cgroup/cpu.max': 'max 100000\n' }, Number.POSITIVE_INFINITY],
    ['one and a half CPUs', { '/sys/fs/cgroup/cpu.max': '150000 100000\n' }, 2],
    [
      'cgroup v1',
      {
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      4,
    ],
    [
      'cgroup v1 without a limit',
      {
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
      Number.POSITIVE_INFINITY,
    ],
  ])('the CPU quota is read with %s', (_name, given, cores) => {
    expect(readCpuQuota(files(given))).toBe(cores);
  });

  it('the machine is bounded by its container', () => {
    const { cores, memoryBytes } = readMachine(files({ '/sys/fs/cgroup/cpu.max': '50000 100000' }));
    expect(cores).toBe(1);
    expect(memoryBytes).toBeGreaterThan(0);
  });
});

test('flags take precedence over variables, and both are checked', () => {
  const env = { RENDERLINE_MAX_ACTIVITIES: '30', RENDERLINE_POLLERS: 'auto' };
  expect(readTuningOptions({ maxActivities: '40', targetCpu: '0.7' }, env)).toEqual({
    maxActivities: 40,
    pollers: 'auto',
    targetCpu: 0.7,
  });
});

test.each([
  [{ maxActivities: '0' }, {}, '--max-activities "0"'],
  [{ maxWorkflowTasks: '1' }, {}, '--max-workflow-tasks "1"'],
  [{ cachedWorkflows: '-1' }, {}, '--cached-workflows "-1"'],
  [{ targetMemory: '80%' }, {}, '--target-memory "80%"'],
  [{ targetCpu: '1.5' }, {}, '--target-cpu "1.5"'],
  [{ pollers: '1' }, {}, '--pollers "1"'],
  [{}, { RENDERLINE_POLLERS: 'many' }, 'RENDERLINE_POLLERS "many"'],
])('the flags %j with the variables %j are refused', (flags, env, words) => {
  expect(() => readTuningOptions(flags, env)).toThrow(words);
});
