// Client of the workflow that divides an allowance among workers. Requesting a lease starts the workflow if necessary.

import { createHash } from 'node:crypto';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import type {
  ClockSkew,
  Lease,
  LeaseRequest,
  LeaveRequest,
} from '../../../plan/allowance/allowance-contract.ts';
import { workflowIds, workflowNames } from '../../../plan/contract/contract.ts';
import { messages } from '../../../plan/contract/messages.ts';
import { callWithTimeout } from '../../../temporal/call-with-timeout.ts';

const leaseTimeoutMs = 6_000;
const leaveTimeoutMs = 1_000;

export class AllowanceWorkflow {
  readonly #client: Client;
  readonly #workflowId: string;
  readonly #taskQueue: string;

  /** @param key the result of `allowanceKeyOf` */
  constructor(client: Client, key: string, taskQueue: string) {
    this.#client = client;
    this.#workflowId = workflowIds.allowance(key);
    this.#taskQueue = taskQueue;
  }

  lease(request: LeaseRequest): Promise<Lease> {
    const startWorkflowOperation = new WithStartWorkflowOperation(workflowNames.allowance, {
      workflowId: this.#workflowId,
      taskQueue: this.#taskQueue,
      args: [{}],
      workflowIdConflictPolicy: 'USE_EXISTING',
      staticSummary: 'API requests per minute, shared by all workers of a key',
    });
    return callWithTimeout(this.#client, leaseTimeoutMs, () =>
      this.#client.workflow.executeUpdateWithStart<() => Promise<void>, Lease, [LeaseRequest]>(
        messages.lease,
        { args: [request], startWorkflowOperation },
      ),
    );
  }

  /** Lists workers using the API key on machines with a wrong clock. Returns none if the workflow does not respond. */
  async listWrongClocks(): Promise<ClockSkew[]> {
    const handle = this.#client.workflow.getHandle(this.#workflowId);
    const query = () => handle.query<ClockSkew[]>(messages.clockSkews);
    return callWithTimeout(this.#client, leaseTimeoutMs, query).catch(() => []);
  }

  async leave(request: LeaveRequest): Promise<void> {
    const handle = this.#client.workflow.getHandle(this.#workflowId);
    await callWithTimeout(this.#client, leaveTimeoutMs, () =>
      handle.executeUpdate<void, [LeaveRequest]>(messages.leave, { args: [request] }),
    );
  }
}

/** Identifies a base URL and an API key without revealing either. */
export function allowanceKeyOf(baseUrl: string, apiKey: string): string {
  const text = `renderline allowance\n${baseUrl}\n${apiKey}`;
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
