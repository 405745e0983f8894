// The page of a report opens each destination once, and shows only the pictures of its run.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, it, onTestFinished } from 'vitest';
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
    files: 4,
    changes: null,
    held: null,
    failed: null,
    link: () => null,
    signal: new AbortController().signal,
  });

  expect(opened).toEqual(['web', 'print']);
});

it('a picture that a later run has replaced is not shown as a picture of this run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-report-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const background = 'navy';
  const picture = await sharp({ create: { width: 8, height: 8, channels: 3, background } })
    .png()
    .toBuffer();
  for (const name of ['kept.png', 'replaced.png']) await writeFile(join(folder, name), picture);
  const sha256 = createHash('sha256').update(picture).digest('hex');
  const outputs = [
    output({ path: 'kept.png', sha256 }),
    output({ path: 'replaced.png', sha256: 'hash of the replaced picture' }),
  ];

  const page = await buildReportPage(report({ outputs }), {
    connectorsOf: () => [openConnector({ type: 'local', path: folder })],
    files: 2,
    changes: null,
    held: null,
    failed: null,
    link: (path) => path,
    signal: new AbortController().signal,
  });

  expect(page.match(/<(?:a|div) class="frame".*?<\/(?:a|div)>/g)).toEqual([
    expect.stringMatching(/^<a class="frame" href="kept\.png"><img src="data:image\/jpeg;base64,/),
    '<div class="frame">replaced since</div>',
  ]);
});
