// The page of a report opens each destination once, because the pictures are read one by one.
import { expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { buildReportPage } from '../../src/features/report-page.ts';
import { output, report } from '../report/_report.ts';

it('the connectors of a delivery are opened once for all its pictures', async () => {
  const opened: unknown[] = [];
  const outputs = ['web', 'print', 'web', 'print'].map((delivery, index) =>
    output({ key: `shoe-${index}`, path: `shoe-${index}.png`, delivery }),
  );

  await buildReportPage(report({ outputs }), {
    connectorsOf(delivery) {
      opened.push(delivery);
      return [openConnector({ type: 'local', path: '/does-not-exist' })];
    },
    changes: null,
    held: null,
    failed: null,
    link: () => null,
    signal: new AbortController().signal,
  });

  expect(opened).toEqual(['web', 'print']);
});
