// Simulates workers of one API key that request their share of its rate limit.
import type {
  Lease,
  LeaseRequest,
  LeaveRequest,
} from '../../src/plan/allowance/allowance-contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { RecordingEnvironment } from './recording-environment.ts';

/** Requests shares as short-lived workers do. */
export async function shareAllowance({ workflows, shared }: RecordingEnvironment): Promise<void> {
  const handle = workflows.getHandle(shared.allowance);
  const obeys = new Map<string, number | null>();
  const ask = async (worker: string, turn: number, overrides: Partial<LeaseRequest> = {}) => {
    const baseRequest = {
      worker,
      sequence: turn,
      currentAllotment: obeys.get(worker) ?? null,
      heldPermits: 0,
      wantedPermits: 90,
    };
    const args: [LeaseRequest] = [
      { ...baseRequest, requestCounts: [9, 0, 0, 0, 0, 0], ...overrides },
    ];
    const { allotment } = await handle.executeUpdate<Lease, [LeaseRequest]>(messages.lease, {
      args,
    });
    obeys.set(worker, allotment);
  };
  const refusal = { agoMs: 100, limit: 100, resetInMs: 600 };
  await ask('one', 1, { limit: 80 });
  await ask('two', 1, { refusal });
  for (let turn = 2; turn < 6; turn += 1) {
    await ask('one', turn, { heldPermits: 9 * turn });
    await ask('two', turn, turn === 4 ? { refusal } : {});
  }
  const leaveRequest: LeaveRequest = {
    worker: 'one',
    sequence: 9,
    heldPermits: 9,
    requestCounts: [9, 0, 0, 0, 0, 0],
  };
  await handle.executeUpdate<void, [LeaveRequest]>(messages.leave, { args: [leaveRequest] });
  for (let turn = 6; turn < 12; turn += 1) await ask('two', turn);
}
