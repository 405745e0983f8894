// Output of `renderline audit`, and the input that it rejects before it contacts Temporal.
import { expect, it } from 'vitest';
import { formatAuditCsv, formatAuditLog } from '../../src/cli/audit/format.ts';
import type { AuditEntry } from '../../src/plan/contract/audit-contract.ts';
import { run } from './_run-cli.ts';

const entry: AuditEntry = {
  at: '2026-03-04T05:06:07.890Z',
  what: 'approved',
  subject: 'run',
  name: 'shoes-1',
  pipeline: 'shoes',
  by: 'anna',
  host: 'studio-2',
  via: 'command',
  reason: null,
  failed: null,
  details: {},
};
const plain = (_format: unknown, text: string) => text;

it.each<[Partial<AuditEntry>, string]>([
  [{}, 'anna@studio-2  approved  shoes-1'],
  [{ via: 'mcp' }, 'anna@studio-2 (mcp)  approved  shoes-1'],
  [{ via: 'other', by: 'temporal-ui', host: '' }, 'temporal-ui  approved  shoes-1'],
  [{ via: 'other', by: '', host: '', what: 'reset' }, 'unknown  reset  shoes-1'],
  [{ reason: 'looks right' }, 'anna@studio-2  approved  shoes-1  "looks right"'],
  [
    { what: 'paused', subject: 'schedule', name: 'shoes', failed: 'no answer' },
    'anna@studio-2  paused  schedule shoes  failed: no answer',
  ],
  [
    { via: 'schedule', by: '', host: '', what: 'started', details: { schedule: 'shoes' } },
    'schedule shoes  started  shoes-1',
  ],
  [{ via: 'event', by: '', host: '', what: 'started' }, 'platform event  started  shoes-1'],
])('audit prints one line per action: %j', (more, line) => {
  expect(formatAuditLog([{ ...entry, ...more }], plain)).toBe(`2026-03-04 05:06:07Z  ${line}`);
});

it('audit aligns the columns of all lines', () => {
  const lines = formatAuditLog([entry, { ...entry, by: 'bo', what: 'reset' }], plain).split('\n');
  expect(lines[1]).toBe('2026-03-04 05:06:07Z  bo@studio-2    reset     shoes-1');
});

it('audit reports that there is no matching action', () => {
  expect(formatAuditLog([], plain)).toMatch(/^No matching actions in Temporal/);
});

it('audit writes CSV with a column per field, and without formulas', () => {
  const told = { reason: '=HYPERLINK("x")', details: { out: 'a,b' } };
  expect(formatAuditCsv([{ ...entry, ...told }])).toBe(
    '\uFEFFat,by,host,via,what,subject,name,pipeline,reason,failed,details\n' +
      '2026-03-04T05:06:07.890Z,anna,studio-2,command,approved,run,shoes-1,shoes,' +
      '"\'=HYPERLINK(""x"")",,"{""out"":""a,b""}"\n',
  );
});

it.each([
  [['--since', 'tomorrow'], 'BAD_TIME', /--since "tomorrow" is not a time/],
  [['--until', 'soon'], 'BAD_TIME', /--until "soon" is not a time/],
  [['--since', '1h', '--until', '2h'], 'BAD_RANGE', /--since is later than --until/],
  [['--run', "a' OR 'a"], 'RUN_NOT_FOUND', /does not exist/],
])('audit refuses %j', async (flags, code, message) => {
  const ended = await run(['audit', '--json', ...flags]);
  expect(JSON.parse(ended.stdout)).toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  });
  expect(ended.code).not.toBe(0);
});
