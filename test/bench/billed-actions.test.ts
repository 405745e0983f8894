// Parsing of action counts from a server's metrics.
import { expect, it } from 'vitest';
import { formatActions, parseActions, sumOf } from '../../bench/billed-actions.ts';
import { countsSince } from '../../bench/counts-since.ts';

const metric = (type: string, count: string, namespace = 'default') =>
  `action{action_type="${type}",namespace="${namespace}",operation="X",service_name="frontend"} ${count}`;

it.each([
  ['command_ScheduleActivityTask', 'activities'],
  ['activity_retry', 'further attempts'],
  ['grpc_RecordActivityTaskHeartbeat', 'heartbeats'],
  ['command_StartTimer', 'timers'],
  ['command_SignalExternalWorkflowExecution', 'signals'],
  ['grpc_SignalWorkflowExecution', 'signals'],
  ['grpc_SignalWithStartWorkflowExecution', 'signals'],
  ['grpc_QueryWorkflow', 'queries'],
  ['message_UpdateWorkflowExecution_Acceptance', 'updates'],
  ['grpc_ExecuteMultiOperation', 'updates'],
  ['command_UpsertWorkflowSearchAttributes', 'search attributes'],
  ['grpc_StartWorkflowExecution', 'workflows'],
  ['command_StartChildWorkflowExecution_Extra', 'workflows'],
  ['command_ContinueAsNewWorkflowExecution', 'workflows'],
  ['something_new', 'something_new'],
])('%s counts among %s', (type, kind) => {
  expect(parseActions(metric(type, '3'), 'default')).toEqual({ [kind]: 3 });
});

it('the counts of one namespace are added up, and those of others are ignored', () => {
  const text = [
    '# TYPE action counter',
    metric('command_StartTimer', '2'),
    metric('command_StartTimer', '1.2e+03'),
    metric('command_StartTimer', '9', 'temporal_system'),
    'queue_actions{namespace="default"} 7',
  ].join('\n');
  expect(parseActions(text, 'default')).toEqual({ timers: 1202 });
});

it('the actions that a run added are printed per asset, most frequent first', () => {
  const since = countsSince({ timers: 5, queries: 1 }, { timers: 7, queries: 1, activities: 30 });
  expect(since).toEqual({ timers: 2, activities: 30 });
  expect(sumOf(since)).toBe(32);
  expect(formatActions(since, 10)).toBe('activities 3.00, timers 0.20');
});
