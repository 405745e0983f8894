// How much a worker does at once: what it was told, else what suits its machine. Pure.
import type { Machine } from './machine.ts';

/** What was asked for; absent: what suits the machine. */
export interface TuningAsked {
  maxActivities?: number;
  maxWorkflowTasks?: number;
  cachedWorkflows?: number;
  /** Share of memory at which nothing more is taken on, 0 to 1. */
  targetMemory?: number;
  /** The same of CPU. */
  targetCpu?: number;
  /** Questions to a task queue at a time; `auto` follows what there is to do. */
  pollers?: number | 'auto';
}

export interface Tuning {
  /** Attempts of activities in flight at one queue. Most wait for the platform; transfers are bounded on their own. */
  activities: number;
  /** Of small runs and of discoveries, which have slots of their own. */
  urgentActivities: number;
  workflowTasks: number;
  /** Runs and shards kept in memory. */
  cachedWorkflows: number;
  /** Null: `activities` and `workflowTasks` are what there is, whatever the machine is at. */
  targets: { memory: number; cpu: number } | null;
  pollers: number | 'auto';
}

const mib = 1024 * 1024;
/** Of a process that does nothing yet, with room for transfers. */
const baseMib = 350;
/** What attempts take that hold an answer of the platform. */
const attemptMib = 3;
/** JavaScript has one core: more than this a process cannot serve, and more processes can. */
const activitiesAtMost = 200;
const activitiesPerCore = 50;
/** As the SDK has it. */
const workflowTasksUsual = 40;
const pollersUsual = 10;
const urgentUsual = 20;
/** Room for more slots than the machine is likely to bear: the targets are the bound. */
const resourceSlots = 400;
const usualTargets = { memory: 0.8, cpu: 0.9 };

export function tuningOf(asked: TuningAsked, { cores, memoryBytes, heapBytes }: Machine): Tuning {
  const roomMib = Math.max(0, memoryBytes / mib - baseMib);
  const { targetMemory, targetCpu } = asked;
  const byTargets = targetMemory !== undefined || targetCpu !== undefined;
  const usual = Math.min(
    Math.max(100, cores * activitiesPerCore),
    activitiesAtMost,
    Math.max(10, Math.floor(roomMib / attemptMib)),
  );
  const activities = asked.maxActivities ?? (byTargets ? resourceSlots : usual);
  // The SDK's own figure, with half of a small machine's memory as the end of the heap.
  const heapMib = Math.min(heapBytes, memoryBytes / 2) / mib;
  const cached = Math.max(10, Math.floor((Math.max(heapMib - 200, 0) * 600) / 1024));
  return {
    activities,
    urgentActivities: Math.min(urgentUsual, activities),
    workflowTasks: asked.maxWorkflowTasks ?? workflowTasksUsual,
    cachedWorkflows: asked.cachedWorkflows ?? cached,
    targets: byTargets
      ? { memory: targetMemory ?? usualTargets.memory, cpu: targetCpu ?? usualTargets.cpu }
      : null,
    pollers: asked.pollers ?? pollersUsual,
  };
}

/** For people. */
export function tuningWords(tuning: Tuning, { cores, memoryBytes }: Machine): string {
  const { activities, urgentActivities, workflowTasks, cachedWorkflows, targets } = tuning;
  const most = targets ? 'up to ' : '';
  const bounds = targets
    ? `, while memory is below ${percent(targets.memory)} and CPU below ${percent(targets.cpu)}`
    : '';
  return `At once ${most}${activities} activities and ${urgentActivities} urgent ones, ${most}${workflowTasks} workflow tasks${bounds}; ${cachedWorkflows} workflows in memory (${cores} cores, ${(memoryBytes / mib / 1024).toFixed(1)} GiB)`;
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
