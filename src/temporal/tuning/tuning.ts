// Resolves the concurrency of a worker: the given options, with defaults that fit the machine. Pure.
import type { Machine } from './machine.ts';

/** Given options. Absent options default to values that fit the machine. */
export interface TuningOptions {
  maxActivities?: number;
  maxWorkflowTasks?: number;
  cachedWorkflows?: number;
  /** Memory usage at which the worker stops taking tasks, 0 to 1. */
  targetMemory?: number;
  /** CPU usage at which the worker stops taking tasks, 0 to 1. */
  targetCpu?: number;
  /** Concurrent polls of a task queue. `auto` adapts to the load. */
  pollers?: number | 'auto';
}

export interface Tuning {
  /** Number of concurrent activity attempts per queue. Most wait for the platform. Transfers have their own limit. */
  activities: number;
  /** Number of concurrent activities of small runs and discoveries, which have their own slots. */
  urgentActivities: number;
  workflowTasks: number;
  /** Number of runs and shards cached in memory. */
  cachedWorkflows: number;
  /** Null if `activities` and `workflowTasks` are fixed numbers, independent of the load of the machine. */
  targets: { memory: number; cpu: number } | null;
  pollers: number | 'auto';
}

const mib = 1024 * 1024;
/** Memory of an idle process, with room for transfers. */
const baseMib = 350;
/** Memory of an attempt that holds a response of the platform. */
const attemptMib = 3;
/** Maximum default. JavaScript uses one core, so one process cannot serve more. Run more processes instead. */
const maxActivities = 200;
const activitiesPerCore = 50;
/** Defaults of the SDK: workflow tasks and pollers. */
const workflowTasksUsual = 40;
const pollersUsual = 10;
const urgentUsual = 20;
/** More slots than the machine can use, because with resource targets the targets are the limit. */
const resourceSlots = 400;
const usualTargets = { memory: 0.8, cpu: 0.9 };

export function resolveTuning(
  options: TuningOptions,
  { cores, memoryBytes, heapBytes }: Machine,
): Tuning {
  const roomMib = Math.max(0, memoryBytes / mib - baseMib);
  const { targetMemory, targetCpu } = options;
  const byTargets = targetMemory !== undefined || targetCpu !== undefined;
  const usualActivities = Math.min(
    Math.max(100, cores * activitiesPerCore),
    maxActivities,
    Math.max(10, Math.floor(roomMib / attemptMib)),
  );
  const activities = options.maxActivities ?? (byTargets ? resourceSlots : usualActivities);
  // The SDK's own formula, but the heap counts at most as half of the memory.
  const heapMib = Math.min(heapBytes, memoryBytes / 2) / mib;
  const usualCache = Math.max(10, Math.floor((Math.max(heapMib - 200, 0) * 600) / 1024));
  return {
    activities,
    urgentActivities: Math.min(urgentUsual, activities),
    workflowTasks: options.maxWorkflowTasks ?? workflowTasksUsual,
    cachedWorkflows: options.cachedWorkflows ?? usualCache,
    targets: byTargets
      ? { memory: targetMemory ?? usualTargets.memory, cpu: targetCpu ?? usualTargets.cpu }
      : null,
    pollers: options.pollers ?? pollersUsual,
  };
}

/** Formats the tuning as text for people. */
export function formatTuning(tuning: Tuning, { cores, memoryBytes }: Machine): string {
  const { activities, urgentActivities, workflowTasks, cachedWorkflows, targets } = tuning;
  const max = targets ? 'up to ' : '';
  const bounds = targets
    ? `, while memory is below ${formatPercent(targets.memory)} and CPU below ${formatPercent(targets.cpu)}`
    : '';
  return `Concurrency: ${max}${activities} activities and ${urgentActivities} urgent ones, ${max}${workflowTasks} workflow tasks${bounds}; ${cachedWorkflows} workflows in memory (${cores} cores, ${(memoryBytes / mib / 1024).toFixed(1)} GiB)`;
}

const formatPercent = (share: number) => `${Math.round(share * 100)}%`;
