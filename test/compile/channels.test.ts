// Channels: what an image inherits from its channel, what is refused before any cost, and which stages a changed rule
// repeats.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import { Channel } from '../../src/features/delivery/channels/channel.ts';
import { shippedChannels } from '../../src/features/delivery/channels/shipped-channels.ts';
import type { Json } from '../../src/plan/types.ts';
import { cwd, fileFolder, planOf, told } from './_compile.ts';

/** The images are on line 12. */
const pipeline = (images: string, settings = '{ imageQuality: 2 }', channels = '{}') =>
  [
    'name: test',
    `channels: ${channels}`,
    'connectors:',
    '  models: { type: local, path: models }',
    '  out: { type: local, path: out }',
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: models } }',
    '  - { id: ready, type: model_ready, parentIds: [take] }',
    `  - { id: shots, type: render, parentIds: [ready], config: { settings: ${settings} } }`,
    '  - { id: deliver, type: export, parentIds: [shots], config: {',
    '        original: false,',
    `        images: [${images}],`,
    '        connector: out, naming: "{{ key }}/{{ output }}.{{ ext }}" } }',
  ].join('\n');

/** The images of the plan, as workers get them. */
function imagesOf(text: string): Record<string, Json>[] {
  const step = planOf(text).steps.find(({ activity }) => activity === 'export');
  const config = step?.config as { images: Record<string, Json>[] } | undefined;
  return config?.images ?? [];
}

const ours = '{ our-shop: { format: PNG, maxSide: 900, checks: { longestSide: { min: 600 } } } }';

it.each(Object.entries(shippedChannels))('the shipped channel %s is valid', (_, channel) => {
  expect(Channel.safeParse(channel).error?.issues ?? []).toEqual([]);
  for (const { url, read } of channel.sources ?? []) {
    expect(read === undefined || url !== undefined).toBe(true);
  }
});

it('the source of a channel must name an existing date', () => {
  const sources = [{ rules: ['checks'], says: 'so', read: '2026-02-30' }];
  expect(Channel.safeParse({ maxSide: 900, sources }).error?.issues).toMatchObject([
    { message: 'must be a date such as 2026-01-31' },
  ]);
});

it('each rule of a shipped channel has a source', () => {
  const without = Object.entries(shippedChannels).flatMap(([name, { sources = [], checks }]) => {
    const sourced = new Set(sources.flatMap(({ rules }) => rules));
    return Object.keys(checks ?? {}).flatMap((check) =>
      sourced.has(`checks.${check}`) ? [] : [`${name} ${check}`],
    );
  });
  expect(without).toEqual([]);
});

it('the example in the how-to guide compiles', async () => {
  const page = await readFile('docs/how-to/amazon-and-web.md', 'utf8');
  const [example = '', , channels = ''] = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(
    ([, text = '']) => text,
  );
  expect(told(example)).toEqual([]);
  expect(
    told(`${pipeline('{ channel: our-shop }').replace('channels: {}\n', '')}\n${channels}`),
  ).toEqual([]);
});

describe('an image that uses a channel', () => {
  it.each([
    [
      'has the fields of the channel',
      '{ channel: web }',
      { format: 'WEBP', maxSide: 1_600, quality: 80, naming: '{{ key }}/{{ output }}.{{ ext }}' },
    ],
    [
      'prefers its own fields',
      '{ channel: web, maxSide: 800, naming: "w/{{ key }}.{{ ext }}" }',
      { format: 'WEBP', maxSide: 800, naming: 'w/{{ key }}.{{ ext }}' },
    ],
    [
      'of a fixed size ignores the size limits of the channel',
      '{ channel: shopify, width: 800, height: 800, fit: cover }',
      { width: 800, height: 800, fit: 'cover', maxSide: undefined, square: undefined },
    ],
    [
      'of another format does not use the quality of the channel',
      '{ channel: web, format: PNG }',
      { format: 'PNG', quality: undefined },
    ],
    [
      'replaces or removes single checks',
      '{ channel: amazon-main, checks: { fill: 80%, background: false } }',
      {
        checks: {
          background: false,
          fill: '80%',
          longestSide: { min: 500, max: 10_000 },
          noAlpha: true,
          profile: 'sRGB',
        },
      },
    ],
  ])('an image %s', (_, image, expected) => {
    const [effective] = imagesOf(pipeline(image));
    for (const [name, value] of Object.entries(expected)) expect(effective?.[name]).toEqual(value);
  });

  it('an image can use a channel of the file', () => {
    const [image] = imagesOf(pipeline('{ channel: our-shop }', '{}', ours));
    expect(image).toMatchObject({ channel: 'our-shop', format: 'PNG', maxSide: 900 });
    expect(image).not.toHaveProperty('sources');
  });

  it('an image can use a channel of the settings', () => {
    const options = { cwd, fileFolder, environment: {}, parameters: {} };
    const text = pipeline('{ channel: theirs }');
    const channels = { theirs: { format: 'AVIF', maxSide: 700 } };
    expect(compileText(text, 'p.yaml', { ...options, channels }).ok).toBe(true);
    const wrong = { theirs: { format: 'GIF' }, Web: {} };
    const { problems } = compileText(text, 'p.yaml', { ...options, channels: wrong });
    expect(problems.map(({ message }) => message)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^channel "theirs" of renderline.yaml: format: /),
        'channel "Web" of renderline.yaml: its name must be 1-63 lowercase letters, digits and dashes',
      ]),
    );
  });

  it('`plan` shows an image with the resulting fields', () => {
    const { route } = planOf(pipeline('{ channel: amazon-main, maxSide: 1800 }'));
    expect(route.join('\n')).toContain(
      'makes of each picture amazon-main (JPEG, at most 1800 pixels, square, filled to 90%, on #ffffff, as {{ key }}.MAIN.{{ ext }}, checks background and fill and longestSide and noAlpha and profile)',
    );
  });
});

describe('a refusal or warning about channels', () => {
  const at = 'nodes[3].config.images[0]';
  it.each([
    [
      '{ channel: amazon-mian }',
      '{}',
      `12:29 RL204 ${at}.channel refers to the channel "amazon-mian", which does not exist | Did you mean "amazon-main"?`,
    ],
    [
      '{ channel: web, naming: "{{ key }}.jpg" }',
      '{}',
      `12:42 RL204 ${at}.naming must end in .{{ ext }}, because channels read the format from the extension`,
    ],
    [
      '{ maxSide: 800, width: 700 }',
      '{}',
      `12:40 RL204 ${at}.width cannot be combined with maxSide: remove one of the two`,
    ],
    [
      '{ channel: amazon-main, maxSide: 400 }',
      '{}',
      `12:51 RL204 ${at}.maxSide is less than checks.longestSide.min (500), so no image could pass`,
    ],
    [
      '{ checks: { square: true } }',
      '{}',
      `12:38 RL204 ${at}.checks.square needs \`square: true\` on the image, or equal width and height`,
    ],
    [
      '{ format: PNG, background: transparent, checks: { noAlpha: true } }',
      '{}',
      `12:46 RL204 ${at}.background cannot be transparent with checks.noAlpha: set a colour`,
    ],
    [
      '{ channel: amazon-main }',
      '{ imageFormat: JPEG }',
      `12:19 RL418 ${at}.checks.background requires white, but a render with imageFormat: JPEG is never transparent: the image passes only if the background of its template has exactly this colour | Render with \`imageFormat: PNG\` or \`TIFF\` and a template whose background is transparent.`,
    ],
    [
      '{ channel: google-merchant }',
      '{ imageCustomResolution: true, imageCustomWidth: 900, imageCustomHeight: 400 }',
      `12:19 RL418 ${at}.checks.shortestSide requires at least 500 pixels, but the requested render has 900 x 400: images are not enlarged | Request a larger render: \`imageQuality: 2\`, or a custom size.`,
    ],
  ])('the image %s with %s is refused or reported as a warning', (image, settings, problem) => {
    const problems = told(pipeline(image, settings));
    const without = (text: string) => text.replace(/^\d+:\d+ /, '');
    expect(problems.map(without)).toEqual([without(problem)]);
    expect(problems[0]).toMatch(/^12:/);
  });

  it('a channel of the file with the name of a shipped one is refused or reported as a warning', () => {
    expect(told(pipeline('{ channel: web }', '{}', '{ web: { maxSide: 90 } }'))).toEqual([
      '2:13 RL204 "web" is the name of a channel that Renderline ships | Rename your channel, for example to our-web.',
    ]);
  });
});

it('a changed rule repeats the delivery, but not the render', () => {
  const stages = (channels: string) =>
    planOf(pipeline('{ channel: our-shop }', '{}', channels)).stages;
  const [before, after] = [stages(ours), stages(ours.replace('min: 600', 'min: 700'))];
  expect(after?.render).toBe(before?.render);
  expect(after?.deliveries).not.toEqual(before?.deliveries);
});
