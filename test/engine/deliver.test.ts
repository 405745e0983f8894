// Pictures on their way to a folder: checked, under the right names, and one bad one spoils no other.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import type { OutputRef } from '../../src/features/renders/platform-ids.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { asset, noStages } from '../plan/_steps.ts';
import { runContext } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const output = (id: string, name: string, more: Partial<OutputRef> = {}) =>
  delivery.output(id, name, more);
const rendered = (key: string, ...outputs: OutputRef[]) => delivery.rendered(key, ...outputs);
const run = (naming: string, ...assets: StepAsset[]) => delivery.run(naming, assets);

describe('names', () => {
  it.each([
    ['{{ key }}.{{ ext }}', ['shoe.png', 'shoe-2.png']],
    ['{{ key }}/{{ output }}.{{ ext }}', ['shoe/Front.png', 'shoe/Side.png']],
    ['{{ key }}-{{ index }}.{{ ext }}', ['shoe-1.png', 'shoe-2.png']],
  ])('%s', async (naming, expected) => {
    const results = await run(
      naming,
      rendered('shoe', output('r1', 'Front'), output('r2', 'Side')),
    );
    expect(paths(results)).toEqual(expected);
    expect(await delivery.files()).toEqual(expected.toSorted());
  });

  it('are the same whichever way the outputs were found: newest first, or as the job lists them', async () => {
    const [front, side, top] = [output('r1', 'Front'), output('r2', 'Side'), output('r3', 'Top')];
    const naming = '{{ key }}-{{ index }}-{{ output }}.{{ ext }}';
    const forward = paths(await run(naming, rendered('shoe', front, side, top)));
    const backward = paths(await run(naming, rendered('shoe', top, side, front)));
    expect(backward).toEqual(forward);
    expect(forward).toEqual(['shoe-1-Front.png', 'shoe-2-Side.png', 'shoe-3-Top.png']);
  });

  it('a preview is marked as one', async () => {
    const preview = output('r1', 'Front', { isPreview: true });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', preview)))).toEqual([
      'shoe.preview.png',
    ]);
  });
});

describe('what is delivered', () => {
  it('holds the videos of a render with shots, named as such', async () => {
    const film = output('r2', 'Turn', { fileType: 'MP4', isVideo: true });
    // Not decoded here: what begins as a video is one.
    const moving = '\0\0\0 ftypisom moving pictures';
    delivery.platform.pictures.set('r2.png', Buffer.from(moving));
    const results = await run(
      '{{ key }}/{{ output }}.{{ ext }}',
      rendered('shoe', output('r1', 'Main'), film),
    );
    expect(paths(results)).toEqual(['shoe/Main.png', 'shoe/Turn.mp4']);
    expect(await readFile(join(delivery.folder, 'shoe', 'Turn.mp4'), 'utf8')).toBe(moving);
  });

  it.each(['SVG', 'PDF', 'HOLOGRAM'])(
    'holds nothing of a render that gives %s, which is not fetched',
    async (fileType) => {
      const other = output('r2', 'Turn', { fileType });
      const results = await run(
        '{{ key }}/{{ output }}.{{ ext }}',
        rendered('shoe', output('r1', 'Main'), other),
      );
      expect(results).toMatchObject([{ outcome: 'failed', code: 'OUTPUT_FORMAT' }]);
      expect(await delivery.files()).toEqual([]);
    },
  );

  it('is what the platform served, with its size and hash', async () => {
    const results = await run('{{ key }}.{{ ext }}', rendered('shoe', output('r1', 'Front')));
    expect(results).toMatchObject([
      {
        key: 'shoe',
        outcome: 'done',
        files: [{ path: 'shoe.png', bytes: delivery.picture.length, width: 32, height: 18 }],
      },
    ]);
    expect(await readFile(join(delivery.folder, 'shoe.png'))).toEqual(delivery.picture);
  });

  it('is asked of the job where no outputs came along', async () => {
    const { url, ...front } = output('r1', 'Front');
    delivery.job('shoe', { ...front, url: url ?? '' });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', front)))).toEqual(['shoe.png']);
    expect(delivery.platform.count('GET /renders/job-shoe')).toBe(1);
  });
});

describe('the trouble of one asset', () => {
  const good = (key: string) => rendered(key, output(`${key}-1`, 'Front'));

  it.each<[string, () => StepAsset, string]>([
    [
      'a file that is not there any more',
      () => rendered('bad', output('r', 'Front', { url: delivery.platform.urlOf('gone.png') })),
      'OUTPUT_REFUSED',
    ],
    [
      'a file in another network',
      () => rendered('bad', output('r', 'Front', { url: 'ftp://files/x.png' })),
      'OUTPUT_REFUSED',
    ],
    [
      'a job with more outputs than it can have',
      () => {
        const outputs = Array.from({ length: 2_501 }, (_, at) => output(`r-${at}`, `n-${at}`));
        return rendered('bad', ...outputs);
      },
      'TOO_MANY_OUTPUTS',
    ],
    ['a job that is gone', () => asset('bad', { jobId: 'job-gone' }), 'NOT_FOUND'],
    ['a job without outputs', () => rendered('bad'), 'NO_OUTPUT'],
    [
      'an output that is listed twice, as two',
      () => rendered('bad', output('r', 'Front'), output('r', 'Back')),
      'OUTPUT_TWICE',
    ],
    [
      'a name of which nothing is left',
      () => ({ ...rendered('bad', output('r', 'Front')), key: '//' }),
      'OUTPUT_UNNAMED',
    ],
  ])('%s fails it alone, and leaves nothing behind', async (_name, bad, code) => {
    const broken = bad();
    delivery.job('bad', ...(broken.platformIds.outputs ?? []));
    const results = await run('{{ key }}', good('a'), broken, good('b'));
    expect(codes(results)).toEqual(['done', code, 'done']);
    expect(await delivery.files()).toEqual(['a', 'b']);
  });

  it('a name that the destination cannot hold fails it alone', async () => {
    const { connector } = delivery;
    const stage = connector.stage.bind(connector);
    connector.stage = (path) =>
      path.startsWith('bad')
        ? Promise.reject(new ConnectorError('HOSTILE_PATH', path, 'too long', 'shorten it'))
        : stage(path);
    const results = await run('{{ key }}.{{ ext }}', good('a'), good('bad'), good('b'));
    expect(codes(results)).toEqual(['done', 'HOSTILE_PATH', 'done']);
  });

  it('an output that the list gave twice is looked up in its job, and delivered once', async () => {
    const front = output('r', 'Front');
    delivery.job('shoe', front);
    const results = await run('{{ key }}.{{ ext }}', rendered('shoe', front, front));
    expect(paths(results)).toEqual(['shoe.png']);
    expect(delivery.platform.count('GET /renders/job-shoe')).toBe(1);
  });

  it('one bad output of several is its failure, and is said by name', async () => {
    const bad = output('r2', 'Side');
    delivery.platform.pictures.set('r2.png', Buffer.from('<html>'));
    const results = await run(
      '{{ key }}/{{ output }}.{{ ext }}',
      rendered('a', output('r1', 'Front'), bad),
    );
    expect(results).toMatchObject([
      {
        outcome: 'failed',
        code: 'OUTPUT_UNREADABLE',
        message: expect.stringMatching(/"Side" \(r2\)/),
      },
    ]);
  });
});

describe('two assets that would take one name', () => {
  /** Outputs of one project that were selected by themselves, for example. */
  const naming = '{{ project }}.{{ ext }}';
  const shoe = (key: string) => {
    const { platformIds, ...one } = rendered(key, output(key, 'Front'));
    return { ...one, platformIds: { ...platformIds, projectId: 'shoe' } };
  };

  it.each([
    ['one of them fails by name', ['a', 'b'], ['done', 'OUTPUT_PATH_TAKEN']],
    ['whichever comes first has it', ['b', 'a'], ['done', 'OUTPUT_PATH_TAKEN']],
  ])('%s', async (_, [first = '', second = ''], ends) => {
    const results = await run(naming, shoe(first), shoe(second));
    expect(codes(results)).toEqual(ends);
    expect(results[1]).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`"shoe.png" in local folder .* belongs to "${first}"`),
      ),
    });
    expect(await delivery.files()).toEqual(['shoe.png']);
    expect(delivery.platform.count(`GET /cdn/${second}.png`)).toBe(0);
  });

  it.each([
    [
      'a second picture of one and the only one of another',
      '{{ key }}.{{ ext }}',
      'shoe',
      'shoe-2',
    ],
    ['names that many file systems take for one', '{{ output }}.{{ ext }}', 'x', 'y'],
  ])('%s', async (_, naming, one, other) => {
    const first = rendered(one, output('r1', 'Front'), output('r2', 'Side'));
    const second = rendered(other, output('r3', 'FRONT'));
    expect(codes(await run(naming, first, second))).toEqual(['done', 'OUTPUT_PATH_TAKEN']);
  });

  it('are told apart in another activity, on another worker, in another run', async () => {
    await delivery.run(naming, [shoe('a')]);
    await delivery.run(naming, [rendered('boot', output('c', 'Front'))]);
    const store = openRunStore(delivery.records, runContext({ run: 'run-2' }));
    const results = await delivery.run(naming, [shoe('b')], { store });
    expect(codes(results)).toEqual(['OUTPUT_PATH_TAKEN']);
  });

  it('are the same asset in an attempt that is repeated', async () => {
    expect(codes(await delivery.run(naming, [shoe('a')]))).toEqual(['done']);
    expect(codes(await delivery.run(naming, [shoe('a')]))).toEqual(['done']);
  });

  it.each([
    ['{{ key }}/{{ output }}.{{ ext }}', ['shoe', 'shoe-2'], 0],
    ['{{ run }}/{{ key }}/{{ index }}-{{ output }}.{{ ext }}', ['shoe', 'shoe-2'], 0],
    ['{{ key }}.{{ ext }}', ['shoe', 'shoe-01', 'boot2'], 0],
    ['pictures/{{ key }}.{{ ext }}', ['shoe', 'shoe-12'], 1],
    ['{{ key }}-{{ output }}.{{ ext }}', ['shoe'], 1],
    ['{{ output }}/{{ key }}.{{ ext }}', ['shoe'], 1],
  ])('cost nothing where names cannot meet: %s of %j', async (template, keys, pages) => {
    const assets = keys.map((key) => rendered(key, output(key, 'Front')));
    expect(codes(await run(template, ...assets))).toEqual(keys.map(() => 'done'));
    expect(delivery.records.bucket.files.size).toBe(pages);
  });
});

it.each(['a', 'b'])('of exports that are renamed at once, %s moves its own file', async (name) => {
  const run = runContext({ connectors: { out: { type: 'local' } } });
  const store = openRunStore(delivery.records, run);
  const stepOf = (node: string, mark: string) => ({
    run,
    store,
    step: { id: node, node, batch: 50, retry: null, delivery: mark },
  });
  for (const [recipe, of] of [
    ['before', 'old'],
    ['r', 'new'],
  ] as const) {
    const deliveries = Object.fromEntries(
      ['a', 'b'].map((node) => [node, { fingerprint: `${of}-${node}`, connector: 'out' }]),
    );
    await store.recipes.keep(recipe, { ...noStages, deliveries });
  }
  const shoe = rendered('shoe', output('r1', 'Front'));
  const filesOf = async (...given: Parameters<typeof delivery.run>) =>
    (await delivery.run(...given)).flatMap((one) => ('files' in one ? (one.files ?? []) : []));
  const delivered = [
    ...(await filesOf('a/{{ key }}.{{ ext }}', [shoe], stepOf('a', 'old-a'))),
    ...(await filesOf('b/{{ key }}.{{ ext }}', [shoe], stepOf('b', 'old-b'))),
  ];
  const again = { ...shoe, platformIds: { ...shoe.platformIds, delivered } };
  const naming = `new-${name}/{{ key }}.{{ ext }}`;
  expect(await filesOf(naming, [again], stepOf(name, `new-${name}`))).toMatchObject([
    { path: `new-${name}/shoe.png`, previousPath: `${name}/shoe.png` },
  ]);
});
