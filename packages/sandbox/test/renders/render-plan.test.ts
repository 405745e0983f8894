// The outputs of a render job by its settings: number, content, size and name.
import { describe, expect, test } from 'vitest';
import type { RenderSettings } from '../../../../src/api/operations/renders.ts';
import { ApiFailure } from '../../src/http/failure.ts';
import { planOutputs, type Subject } from '../../src/renders/plan.ts';
import { checkSizes, imageSizeOf, videoSizeOf } from '../../src/renders/size.ts';
import type { TemplateRecord } from '../../src/state/records.ts';
import { outputKeyOf, renderAsset, thumbnailKeyOf } from '../../src/status/renders.ts';
import { lookOf, requireRenderTemplate } from '../../src/templates/templates.ts';
import type { Variant } from '../../src/variants/variants.ts';
import { modelRecord, outputRecord, renderRecord, uploadedFile } from '../_records.ts';

const template: TemplateRecord = {
  id: 't1',
  name: 'Two cameras, two moves',
  description: '',
  public: false,
  look: 0,
  bookmarks: [
    { id: 'front', name: 'Front' },
    { id: 'side', name: 'Side' },
  ],
  shots: [
    { id: 'turn', name: 'Turn', seconds: 4 },
    { id: 'rise', name: 'Rise', seconds: 2.5 },
  ],
};
const project = { id: 'p1', name: 'Spring', modelIds: ['m1'], createdAt: 0 };

const variant = (id: string, name: string): Variant => ({
  id,
  name,
  isDefault: false,
  kind: 'file',
  createdAtMs: 0,
  swaps: {},
});
const red = variant('0000000a-0000-4000-8000-000000000001', 'red');
const blue = variant('0000000a-0000-4000-8000-000000000002', 'blue');
const only = variant('0000000a-0000-4000-8000-000000000003', 'Default');

const chair = modelRecord({
  file: {
    ...uploadedFile,
    variants: [
      { id: red.id, name: 'red' },
      { id: blue.id, name: 'blue' },
    ],
  },
});
const coloured: Subject = { model: chair, variants: [red, blue] };
const plain: Subject = {
  model: modelRecord({ id: 'm2', name: 'table', file: uploadedFile }),
  variants: [only],
};

const plan = (settings: RenderSettings, subjects: readonly Subject[] = [plain]) =>
  planOutputs(project, subjects, template, settings);
const namesOf = (settings: RenderSettings, subjects?: readonly Subject[]) =>
  plan(settings, subjects).map(({ name }) => name);

describe('cameras and moves', () => {
  test.each<[RenderSettings, string[]]>([
    [{}, ['Front', 'Side', 'Turn + Rise']],
    [{ renderBookmarks: false }, ['Turn + Rise']],
    [{ renderShots: false }, ['Front', 'Side']],
    [{ renderBookmarks: false, renderShots: false }, []],
    [{ videoRenderMode: 'single-clips' }, ['Front', 'Side', 'Turn', 'Rise']],
    [{ videoRenderMode: 'full-sequence' }, ['Front', 'Side', 'Turn + Rise']],
    [{ bookmarksToRender: [] }, ['Front', 'Side', 'Turn + Rise']],
    [{ bookmarksToRender: ['side'], renderShots: false }, ['Side']],
    [{ bookmarksToRender: ['side', 'front'], renderShots: false }, ['Front', 'Side']],
    [{ bookmarksToRender: ['Front'], renderShots: false }, []],
    [{ bookmarksToRender: ['side'], renderBookmarks: false, renderShots: false }, []],
    [{ shotsToRender: ['rise'], renderBookmarks: false }, ['Rise']],
    [{ shotsToRender: ['none'], renderBookmarks: false }, []],
    [
      { shotsToRender: ['rise'], renderBookmarks: false, videoRenderMode: 'single-clips' },
      ['Rise'],
    ],
  ])('the cameras and moves of %j are %j', (settings, cameras) => {
    expect(namesOf(settings)).toEqual(cameras.map((camera) => `Spring - ${camera}`));
  });

  test.each<[RenderSettings, (readonly [number, number])[]]>([
    [{}, [[6.5, 12]]],
    [{ videoQuality: 1 }, [[6.5, 12]]],
    [{ videoQuality: 0 }, [[6.5, 6]]],
    [
      { videoQuality: 0, videoRenderMode: 'single-clips' },
      [
        [4, 6],
        [2.5, 6],
      ],
    ],
  ])(
    'a video of %j lasts as long as its moves: %j seconds and frames per second',
    (settings, all) => {
      const videos = plan({ ...settings, renderBookmarks: false });
      expect(videos.map(({ seconds, framesPerSecond }) => [seconds, framesPerSecond])).toEqual(all);
    },
  );

  test.each<[RenderSettings, string]>([
    [{}, 'PNG'],
    [{ imageFormat: 'TIFF' }, 'TIFF'],
    [{ imageFormat: 'JPEG' }, 'JPEG'],
  ])('pictures with the settings %j are %s files, and videos are MP4 files', (settings, format) => {
    expect(plan(settings).map((output) => output.format)).toEqual([format, format, 'MP4']);
  });
});

describe('models and variants', () => {
  const camera: RenderSettings = { bookmarksToRender: ['front'], renderShots: false };

  // Names contain models and variants only if there are several.
  test.each<[string, readonly Subject[], RenderSettings, string[]]>([
    ['one model without variants', [plain], {}, ['Front']],
    ['a model with variants', [coloured], {}, ['red - Front', 'blue - Front']],
    [
      'a model with variants, which are switched off',
      [coloured],
      { renderVariants: false },
      ['Front'],
    ],
    ['a requested variant', [coloured], { variantsToRender: [blue.id] }, ['blue - Front']],
    [
      'a requested variant, although variants are switched off',
      [coloured],
      { variantsToRender: [blue.id], renderVariants: false },
      ['blue - Front'],
    ],
    [
      'a requested variant in another spelling of its GUID',
      [coloured],
      { variantsToRender: [`{${red.id.toUpperCase().replaceAll('-', '')}}`] },
      ['red - Front'],
    ],
    ['an unknown variant', [coloured], { variantsToRender: ['none'] }, []],
    [
      'an empty list of variants',
      [coloured],
      { variantsToRender: [] },
      ['red - Front', 'blue - Front'],
    ],
    [
      'a model with one of several variants',
      [{ ...coloured, variants: [red] }],
      {},
      ['red - Front'],
    ],
    ['a model whose variants are not known yet', [{ ...plain, variants: [] }], {}, ['Front']],
    [
      'two models',
      [coloured, plain],
      {},
      ['chair - red - Front', 'chair - blue - Front', 'table - Front'],
    ],
    [
      'two models without their variants',
      [coloured, plain],
      { renderVariants: false },
      ['chair - Front', 'table - Front'],
    ],
    [
      'the variant of one of two models',
      [coloured, plain],
      { variantsToRender: [red.id] },
      ['chair - red - Front'],
    ],
  ])('a job has the outputs for %s', (_title, subjects, settings, names) => {
    expect(namesOf({ ...camera, ...settings }, subjects)).toEqual(
      names.map((name) => `Spring - ${name}`),
    );
  });

  test('each output records its model and variant, and the model itself has no variant', () => {
    const ids = (settings: RenderSettings) =>
      plan({ ...camera, ...settings }, [coloured, plain]).map(({ modelId, variantId }) => [
        modelId,
        variantId,
      ]);
    expect(ids({})).toEqual([
      ['m1', red.id],
      ['m1', blue.id],
      ['m2', only.id],
    ]);
    expect(ids({ renderVariants: false })).toEqual([
      ['m1', undefined],
      ['m2', undefined],
    ]);
  });

  test('outputs are ordered by variant, with pictures before videos', () => {
    expect(namesOf({}, [coloured])).toEqual([
      'Spring - red - Front',
      'Spring - red - Side',
      'Spring - red - Turn + Rise',
      'Spring - blue - Front',
      'Spring - blue - Side',
      'Spring - blue - Turn + Rise',
    ]);
  });
});

describe('sizes', () => {
  const image = (width?: number, height?: number): RenderSettings => ({
    imageQuality: 0,
    imageCustomResolution: true,
    ...(width === undefined ? {} : { imageCustomWidth: width }),
    ...(height === undefined ? {} : { imageCustomHeight: height }),
  });
  const video = (width?: number, height?: number): RenderSettings => ({
    videoResolution: 0,
    videoCustomResolution: true,
    ...(width === undefined ? {} : { videoCustomWidth: width }),
    ...(height === undefined ? {} : { videoCustomHeight: height }),
  });

  test.each<[RenderSettings, readonly [number, number]]>([
    [{}, [1920, 1080]],
    [{ imageQuality: 0 }, [1280, 720]],
    [{ imageQuality: 1 }, [1920, 1080]],
    [{ imageQuality: 2 }, [3840, 2160]],
    [{ ...image(300, 200), imageCustomResolution: false }, [1280, 720]],
    [image(301, 201), [301, 201]],
    [image(300), [300, 720]],
    [image(undefined, 300), [1280, 300]],
    [image(1, 8192), [1, 8192]],
  ])('pictures with the size %j are %j', (settings, [width, height]) => {
    expect(imageSizeOf(settings)).toEqual({ width, height });
  });

  test.each<[RenderSettings, readonly [number, number]]>([
    [{}, [1920, 1080]],
    [{ imageQuality: 2 }, [1920, 1080]],
    [{ videoResolution: 0 }, [1280, 720]],
    [{ videoResolution: 2 }, [3840, 2160]],
    [video(301, 201), [300, 200]],
    [video(300), [300, 720]],
    [video(17, 16), [16, 16]],
    [video(4096, 4096), [4096, 4096]],
  ])('videos with the size %j are %j, with even sides', (settings, [width, height]) => {
    expect(videoSizeOf(settings)).toEqual({ width, height });
  });

  test.each<[RenderSettings, string]>([
    [
      image(8193, 10),
      'settings.imageCustomWidth and imageCustomHeight may be at most 8192 pixels.',
    ],
    [
      image(10, 8193),
      'settings.imageCustomWidth and imageCustomHeight may be at most 8192 pixels.',
    ],
    [
      video(4097, 16),
      'settings.videoCustomWidth and videoCustomHeight may be at most 4096 pixels.',
    ],
    [video(15, 16), 'settings.videoCustomWidth and videoCustomHeight must be at least 16 pixels.'],
    [video(16, 15), 'settings.videoCustomWidth and videoCustomHeight must be at least 16 pixels.'],
  ])('the sizes %j are refused', (settings, message) => {
    expect(() => checkSizes(settings)).toThrow(new ApiFailure('VALIDATION_ERROR', message));
  });
});

describe('finished outputs (2.6)', () => {
  test.each([
    [1920, 1080, '16:9'],
    [3840, 2160, '16:9'],
    [1000, 1000, '1:1'],
    [300, 200, '3:2'],
    [720, 1280, '9:16'],
    [301, 200, '301:200'],
  ])('a finished output of %d × %d has the aspect ratio %s', (width, height, aspectRatio) => {
    const asset = renderAsset(renderRecord(), outputRecord({ width, height }), '');
    expect(asset).toMatchObject({ aspectRatio, resolution: `${width}x${height}` });
  });

  test.each([
    ['PNG', 'renders/o1/image.png', false],
    ['JPEG', 'renders/o1/image.jpeg', false],
    ['TIFF', 'renders/o1/image.tiff', false],
    ['MP4', 'renders/o1/video.mp4', true],
  ] as const)('a finished output of the format %s is stored at %s', (format, key, isVideo) => {
    const output = outputRecord({ format, ...(isVideo ? { seconds: 6.5 } : {}) });
    expect(outputKeyOf(output)).toBe(key);
    const asset = renderAsset(renderRecord({ drawnAt: 1250 }), output, 'https://here');
    expect(asset).toMatchObject({
      isVideo,
      url: `https://here/cdn/${key}`,
      thumbnailUrl: `https://here/cdn/${thumbnailKeyOf(output)}`,
      createdAt: '1970-01-01T00:00:01.250Z',
    });
    expect('duration' in asset).toBe(isVideo);
  });
});

describe('templates', () => {
  test.each([
    [undefined, 'tpl-studio-white'],
    ['none', 'tpl-studio-white'],
    ['t1', 't1'],
  ])('a project with the template %s is rendered with %s', (id, used) => {
    const templates = { get: (wanted: string) => (wanted === 't1' ? template : undefined) };
    const store = { templates } as unknown as Parameters<typeof requireRenderTemplate>[0];
    expect(requireRenderTemplate(store, id).id).toBe(used);
  });

  test("angles of a camera override those of the look's camera", () => {
    const own = lookOf(requireRenderTemplate({ templates: new Map() } as never, undefined));
    const [first] = own.bookmarks;
    const { bookmarks } = lookOf({
      ...template,
      bookmarks: [
        { id: 'a', name: 'no such camera' },
        { id: 'b', name: 'no such camera', yawDegrees: 77 },
        { id: 'c', name: 'no such camera', pitchDegrees: -5 },
      ],
    });
    expect(bookmarks).toEqual([
      { ...first, name: 'a' },
      { ...first, name: 'b', yawDegrees: 77 },
      { ...first, name: 'c', pitchDegrees: -5 },
    ]);
  });

  test.each([
    ['no angles', {}, 0, 360],
    ['a start', { yawDegrees: 20 }, 20, 380],
    ['a turn', { yawDegrees: 20, turnDegrees: -90 }, 20, -70],
  ])('a camera move with %s turns from its start angle', (_title, given, from, to) => {
    const [camera] = lookOf(template).bookmarks;
    const shot = { id: 's', name: 'no such move', seconds: 3, ...given };
    const { shots } = lookOf({ ...template, shots: [shot] });
    const start = 'yawDegrees' in given ? from : (camera?.yawDegrees ?? 0);
    expect(shots).toMatchObject([
      {
        name: 's',
        seconds: 3,
        from: { yawDegrees: start, pitchDegrees: camera?.pitchDegrees },
        to: { yawDegrees: start + (to - from) },
      },
    ]);
  });
});
