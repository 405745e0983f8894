// Pictures are delivered to a folder. They are checked and get the right names, and a bad picture affects no other
// asset.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import type { OutputRef } from '../../src/features/renders/platform-ids.ts';
import { idRules, openRunStore } from '../../src/features/run-store.ts';
import { workStages } from '../../src/plan/stages.ts';
import type { StepAsset } from '../../src/plan/types.ts';
import { asset, noStages } from '../plan/_steps.ts';
import { runContext } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const output = (id: string, name: string, more: Partial<OutputRef> = {}) =>
  delivery.output(id, name, more);
const rendered = (key: string, ...outputs: OutputRef[]) => delivery.rendered(key, ...outputs);
const run = (naming: string, ...assets: StepAsset[]) => delivery.run(naming, assets);

describe('names of delivered pictures', () => {
  it.each([
    ['{{ key }}.{{ ext }}', ['shoe.png', 'shoe-2.png']],
    ['{{ key }}/{{ output }}.{{ ext }}', ['shoe/Front.png', 'shoe/Side.png']],
    ['{{ key }}-{{ index }}.{{ ext }}', ['shoe-1.png', 'shoe-2.png']],
  ])('the template %s names each picture', async (naming, expected) => {
    const results = await run(
      naming,
      rendered('shoe', output('r1', 'Front'), output('r2', 'Side')),
    );
    expect(paths(results)).toEqual(expected);
    expect(await delivery.files()).toEqual(expected.toSorted());
  });

  it('the names do not depend on the order in which the outputs were found', async () => {
    const [front, side, top] = [output('r1', 'Front'), output('r2', 'Side'), output('r3', 'Top')];
    const naming = '{{ key }}-{{ index }}-{{ output }}.{{ ext }}';
    const forward = paths(await run(naming, rendered('shoe', front, side, top)));
    const backward = paths(await run(naming, rendered('shoe', top, side, front)));
    expect(backward).toEqual(forward);
    expect(forward).toEqual(['shoe-1-Front.png', 'shoe-2-Side.png', 'shoe-3-Top.png']);
  });

  it('the name of a preview identifies it as a preview', async () => {
    const preview = output('r1', 'Front', { isPreview: true });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', preview)))).toEqual([
      'shoe.preview.png',
    ]);
  });
});

describe('a delivery', () => {
  it('a delivery contains the videos of a render with shots, with their extensions', async () => {
    const film = output('r2', 'Turn', { fileType: 'MP4', isVideo: true });
    // Videos are recognized by their first bytes and not decoded.
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
    'a delivery contains no file of a render that has an output of type %s',
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

  it('a delivery contains the bytes that the platform served, and its result states the byte count and the size in pixels', async () => {
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

  it('a delivery reads the links from the job if the outputs contain none', async () => {
    const { url, ...front } = output('r1', 'Front');
    delivery.job('shoe', { ...front, url: url ?? '' });
    expect(paths(await run('{{ key }}.{{ ext }}', rendered('shoe', front)))).toEqual(['shoe.png']);
    expect(delivery.platform.count('GET /renders/job-shoe')).toBe(1);
  });

  it('a delivery stores the outputs that it reads from the job, without links, so that a later run needs no job', async () => {
    const [front, side] = [output('r1', 'Front'), output('r2', 'Side')];
    delivery.job('shoe', front, side);
    const unknown = asset('shoe', { jobId: 'job-shoe', projectId: 'p' });
    const [result] = await run('{{ key }}.{{ ext }}', unknown);
    const { url: _front, ...front0 } = front;
    const { url: _side, ...side0 } = side;
    expect(result).toMatchObject({ platformIds: { outputs: [front0, side0] } });
    const platformIds =
      result?.outcome === 'done' ? { ...unknown.platformIds, ...result.platformIds } : {};
    expect(JSON.stringify(platformIds.outputs)).not.toContain('http');
    expect(idRules.completedStages(platformIds, workStages)).toContain('render');
    delivery.platform.jobs.clear();
    const reused = { ...unknown, platformIds: { ...platformIds, reusableStages: workStages } };
    const delivered = result?.outcome === 'done' ? (result.files ?? []) : [];
    const again = { ...reused, platformIds: { ...reused.platformIds, delivered } };
    expect(codes(await run('{{ key }}.{{ ext }}', again))).toEqual(['done']);
  });
});

describe('a failure of one asset', () => {
  const good = (key: string) => rendered(key, output(`${key}-1`, 'Front'));

  it.each<[string, () => StepAsset, string]>([
    [
      'a missing file',
      () => rendered('bad', output('r', 'Front', { url: delivery.platform.urlOf('gone.png') })),
      'OUTPUT_REFUSED',
    ],
    [
      'a link that is not HTTP',
      () => rendered('bad', output('r', 'Front', { url: 'ftp://files/x.png' })),
      'OUTPUT_REFUSED',
    ],
    [
      'a job with too many outputs',
      () => {
        const outputs = Array.from({ length: 2_501 }, (_, at) => output(`r-${at}`, `n-${at}`));
        return rendered('bad', ...outputs);
      },
      'TOO_MANY_OUTPUTS',
    ],
    ['a missing job', () => asset('bad', { jobId: 'job-gone' }), 'NOT_FOUND'],
    ['a job without outputs', () => rendered('bad'), 'NO_OUTPUT'],
    [
      'an output that is listed twice under different names',
      () => rendered('bad', output('r', 'Front'), output('r', 'Back')),
      'OUTPUT_TWICE',
    ],
    [
      'an empty file name',
      () => ({ ...rendered('bad', output('r', 'Front')), key: '//' }),
      'OUTPUT_UNNAMED',
    ],
  ])('%s fails only this asset and leaves no files behind', async (_name, bad, code) => {
    const broken = bad();
    delivery.job('bad', ...(broken.platformIds.outputs ?? []));
    const results = await run('{{ key }}', good('a'), broken, good('b'));
    expect(codes(results)).toEqual(['done', code, 'done']);
    expect(await delivery.files()).toEqual(['a', 'b']);
  });

  it('a name that the destination refuses fails only this asset', async () => {
    const { connector } = delivery;
    const stage = connector.stage.bind(connector);
    connector.stage = (path) =>
      path.startsWith('bad')
        ? Promise.reject(new ConnectorError('HOSTILE_PATH', path, 'too long', 'shorten it'))
        : stage(path);
    const results = await run('{{ key }}.{{ ext }}', good('a'), good('bad'), good('b'));
    expect(codes(results)).toEqual(['done', 'HOSTILE_PATH', 'done']);
  });

  it('an output that is listed twice is checked in its job and delivered once', async () => {
    const front = output('r', 'Front');
    delivery.job('shoe', front);
    const results = await run('{{ key }}.{{ ext }}', rendered('shoe', front, front));
    expect(paths(results)).toEqual(['shoe.png']);
    expect(delivery.platform.count('GET /renders/job-shoe')).toBe(1);
  });

  it('one bad output among several fails the asset, and the message identifies the output', async () => {
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

describe('two assets with the same file name', () => {
  /** For example outputs of one project that were selected individually. */
  const naming = '{{ project }}.{{ ext }}';
  const shoe = (key: string) => {
    const { platformIds, ...one } = rendered(key, output(key, 'Front'));
    return { ...one, platformIds: { ...platformIds, projectId: 'shoe' } };
  };

  it.each([
    ['the second asset fails', ['a', 'b'], ['done', 'OUTPUT_PATH_TAKEN']],
    ['the second asset fails in the opposite order too', ['b', 'a'], ['done', 'OUTPUT_PATH_TAKEN']],
  ])('if names collide, %s', async (_, [first = '', second = ''], ends) => {
    const results = await run(naming, shoe(first), shoe(second));
    expect(codes(results)).toEqual(ends);
    expect(results[1]).toMatchObject({
      message: expect.stringMatching(
        new RegExp(`"shoe.png" in local folder .* already belongs to the asset "${first}"`),
      ),
    });
    expect(await delivery.files()).toEqual(['shoe.png']);
    expect(delivery.platform.count(`GET /cdn/${second}.png`)).toBe(0);
  });

  it.each([
    [
      "the second picture of one asset has the name of another asset's only picture",
      '{{ key }}.{{ ext }}',
      'shoe',
      'shoe-2',
    ],
    ['they differ only in case', '{{ output }}.{{ ext }}', 'x', 'y'],
  ])('names collide if %s', async (_, naming, one, other) => {
    const first = rendered(one, output('r1', 'Front'), output('r2', 'Side'));
    const second = rendered(other, output('r3', 'FRONT'));
    expect(codes(await run(naming, first, second))).toEqual(['done', 'OUTPUT_PATH_TAKEN']);
  });

  it('names also collide across activities, workers and runs', async () => {
    await delivery.run(naming, [shoe('a')]);
    await delivery.run(naming, [rendered('boot', output('c', 'Front'))]);
    const store = openRunStore(delivery.records, runContext({ run: 'run-2' }));
    const results = await delivery.run(naming, [shoe('b')], { store });
    expect(codes(results)).toEqual(['OUTPUT_PATH_TAKEN']);
  });

  it('names do not collide if a repeated attempt delivers the same asset', async () => {
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
  ])(
    'names are claimed in the records only if they can collide: %s for %j',
    async (template, keys, pages) => {
      const assets = keys.map((key) => rendered(key, output(key, 'Front')));
      expect(codes(await run(template, ...assets))).toEqual(keys.map(() => 'done'));
      expect(delivery.records.bucket.files.size).toBe(pages);
    },
  );
});

it.each(['a', 'b'])(
  'when two exports are renamed together, %s moves its own file',
  async (name) => {
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
      await store.recipes.write(recipe, { ...noStages, deliveries });
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
  },
);
