// Tests that an action is recorded before it is done, and its failure afterwards.
import type { Client } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { FailedAction, RecordedAction } from '../../../src/plan/contract/audit-contract.ts';
import { NotRecordedError, withAuditRecord } from '../../../src/temporal/audit/record-action.ts';

type Told = RecordedAction | FailedAction;

/** A client whose audit log accepts signals, or throws. */
function logOf(refuse: (signals: number) => Error | null = () => null) {
  const order: (string | Told)[] = [];
  let signals = 0;
  const client = {
    withDeadline: (_deadline: number, work: () => unknown) => work(),
    workflow: {
      async signalWithStart(_type: string, { signalArgs }: { signalArgs: [Told] }) {
        signals += 1;
        const error = refuse(signals);
        if (error) throw error;
        order.push(signalArgs[0]);
      },
    },
  };
  const place = { client: client as unknown as Client, taskQueue: 'renderline' };
  return { place, order };
}

const act = { what: 'paused', subject: 'schedule', name: 'nightly', pipeline: 'nightly' } as const;

describe('an action', () => {
  it('an action is recorded before it is performed', async () => {
    const { place, order } = logOf();
    const work = async () => {
      order.push('done');
      return 7;
    };
    expect(await withAuditRecord(place, { ...act, reason: 'stocktaking' }, work)).toBe(7);
    expect(order).toEqual([
      { ...act, reason: 'stocktaking', id: expect.any(String) as string },
      'done',
    ]);
  });

  it('an action that cannot be recorded is not performed', async () => {
    const denied = new Error('7 PERMISSION_DENIED', {
      cause: { code: 7, details: 'Request unauthorized.' },
    });
    const { place, order } = logOf(() => denied);
    const ended = withAuditRecord(place, act, async () => order.push('done'));
    await expect(ended).rejects.toThrow(NotRecordedError);
    await expect(ended).rejects.toMatchObject({
      message:
        'Nothing was changed, because the audit log of renderline did not accept the record: Request unauthorized.',
      failure: { code: 'NOT_RECORDED' },
    });
    expect(order).toEqual([]);
  });

  it('an action that fails is recorded as failed, and throws its own error', async () => {
    const { place, order } = logOf();
    const ended = withAuditRecord(place, act, () =>
      Promise.reject(new Error('Temporal refuses it')),
    );
    await expect(ended).rejects.toThrow('Temporal refuses it');
    const [first, second] = order as [RecordedAction, FailedAction];
    expect(second).toEqual({ id: first.id, failed: 'Temporal refuses it' });
  });

  it('an action that fails throws its own error even if the failure cannot be recorded', async () => {
    const { place, order } = logOf((signals) => (signals > 1 ? new Error('gone') : null));
    const ended = withAuditRecord(place, act, () =>
      Promise.reject(new Error('Temporal refuses it')),
    );
    await expect(ended).rejects.toThrow('Temporal refuses it');
    expect(order).toHaveLength(1);
  });

  it('the record of an action has a bounded size', async () => {
    const { place, order } = logOf();
    const fields = Array.from({ length: 9_000 }, () => ({ was: 'x'.repeat(9_000) }));
    await withAuditRecord(place, { ...act, details: { fields } }, async () => {});
    expect(JSON.stringify(order[0]).length).toBeLessThan(50_000);
    expect(order[0]).toMatchObject({ details: { fields: { length: 50 } } });
  });
});
