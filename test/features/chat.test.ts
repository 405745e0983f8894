// Messages for Slack and Teams: the documented shapes, within their limits, without mentions or links from names.
import { describe, expect, it, test } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import {
  createAssetsMessage,
  createRunMessage,
  formatChatBody,
} from '../../src/features/notices/chat.ts';
import type { ExportCounts } from '../../src/plan/run/export-tally.ts';
import type { StartPointCount } from '../../src/plan/run/start-points.ts';

const notice = {
  schema: 'renderline/run-notice/v1',
  run: 'catalog-1',
  pipeline: 'catalog',
  outcome: 'partial_failure',
  assets: { total: 5, complete: 3, failed: 1, skipped: 1 },
  cause: null,
  failures: [
    { key: 'a', node: 'shots', code: 'RENDER_FAILED', message: 'no <light> & [x](y)', attempts: 2 },
  ],
  startedAt: '2026-01-02T03:04:05.000Z',
  paid: {
    renders: 4,
    models: 5,
    captures: 0,
    failedRenders: 1,
    possibleDuplicates: { renders: 1, models: 0, captures: 0 },
  },
  startPoints: [] as StartPointCount[],
  exports: [] as ExportCounts[],
  report: null,
  temporalUi: null,
} as const;

const of = (format: 'slack' | 'teams', more: object = {}): unknown =>
  JSON.parse(
    formatChatBody(
      format,
      createRunMessage({ ...notice, failures: [...notice.failures], exports: [], ...more }),
    ),
  );

test.each(['slack', 'teams'] as const)(
  'names in a message for %s contain no line breaks, escape sequences or bidirectional controls',
  (format) => {
    const pipeline = 'a\n# lie\u001b[31m\u202e';
    const failures = [{ key: pipeline, node: 'shots', code: 'X', message: pipeline, attempts: 1 }];
    const said = JSON.stringify(of(format, { pipeline, failures }));
    expect(said).toContain('a # lie: ');
    expect(said).not.toMatch(/a\\n|\\u001b|\u202e/);
  },
);

test.each(['slack', 'teams'] as const)(
  'a name in a message for %s is not cut within a character',
  (format) => {
    // Each emoji has two code units, so one of the two names is cut in the middle of an emoji.
    for (const start of ['', 'x']) {
      const said = JSON.stringify(of(format, { pipeline: `${start}${'😀'.repeat(3_000)}` }));
      expect(said).toContain('😀…');
      expect(said).not.toMatch(/\\u[dD]83[dD]/);
    }
  },
);

describe('a message about the end of a run', () => {
  test.each(['slack', 'teams'] as const)('a message for %s reports withdrawn files', (format) => {
    const withdrawn = { assets: 1, archived: 3, deleted: 0 };
    expect(JSON.stringify(of(format, { withdrawn }))).toContain(
      '3 files of 1 asset: 3 to archive/',
    );
    expect(JSON.stringify(of(format))).not.toContain('Withdrawn');
  });

  const ui = 'https://temporal.example/?a&b|c>/workflows/catalog-1';

  test('a message for Slack links to the run in the Temporal UI and mentions the report', () => {
    const report = 's3://pictures/reports/catalog-1.html';
    const { blocks } = of('slack', { temporalUi: ui, report }) as {
      blocks: { text: { text: string } }[];
    };
    expect(blocks[1]?.text.text).toContain(`*Report*  ${report}`);
    expect(blocks.at(-1)?.text.text).toBe(
      '<https://temporal.example/?a&amp;b%7Cc%3E/workflows/catalog-1|Page of the run in the Temporal UI>',
    );
  });

  test('a message for Teams has a button that opens the run in the Temporal UI', () => {
    const { attachments } = of('teams', { temporalUi: ui }) as {
      attachments: { content: { actions: unknown } }[];
    };
    expect(attachments[0]?.content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Page of the run in the Temporal UI', url: ui },
    ]);
  });

  test.each(['slack', 'teams'] as const)(
    'a message for %s contains the decision link for a person instead of the command',
    (format) => {
      const url = 'https://renderline.example/decide/abc.def/';
      const decide = { person: 'Berta <b>', until: '2027-03-04T10:00:00.000Z', url };
      const text = JSON.stringify(of(format, { outcome: 'waiting', decide }));
      const person = format === 'slack' ? 'Berta &lt;b&gt;' : 'Berta <b>';
      expect(text).toContain(`Review and decide as ${person}, until 2027-03-04 10:00 UTC`);
      expect(text).toContain(url);
      expect(text).not.toContain('renderline approve');
      expect(JSON.stringify(of(format, { outcome: 'waiting', decide: null }))).toContain(
        'renderline approve',
      );
    },
  );

  test('a message for Slack has blocks, and a text for notifications', () => {
    expect(of('slack')).toEqual({
      text: 'catalog: some assets failed',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'catalog: some assets failed' } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: [
              '*Run*  catalog-1',
              '*Assets*  3 of 5 complete, 1 failed, 1 skipped',
              '*Paid*  4 renders, 5 models, possibly 1 more render; 1 render failed or was cancelled, and the platform does not say whether it is billed',
            ].join('\n'),
          },
        },
        {
          type: 'section',
          text: { type: 'mrkdwn', text: '• a: RENDER_FAILED: no &lt;light&gt; &amp; [x](y)' },
        },
        { type: 'section', text: { type: 'mrkdwn', text: '`renderline failures catalog-1`' } },
      ],
    });
  });

  test('a message for Teams is an adaptive card in a single attachment', () => {
    expect(of('teams')).toEqual({
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              {
                type: 'TextBlock',
                text: 'catalog: some assets failed',
                wrap: true,
                size: 'Large',
                weight: 'Bolder',
              },
              {
                type: 'FactSet',
                facts: [
                  { title: 'Run', value: 'catalog-1' },
                  { title: 'Assets', value: '3 of 5 complete, 1 failed, 1 skipped' },
                  {
                    title: 'Paid',
                    value:
                      '4 renders, 5 models, possibly 1 more render; 1 render failed or was cancelled, and the platform does not say whether it is billed',
                  },
                ],
              },
              {
                type: 'TextBlock',
                text: '- a: RENDER\\_FAILED: no \\<light\\> & \\[x\\](y)',
                wrap: true,
              },
              {
                type: 'TextBlock',
                text: 'renderline failures catalog-1',
                wrap: true,
                fontType: 'Monospace',
              },
            ],
          },
        },
      ],
    });
  });

  test.each([
    ['waiting', 'catalog: is waiting for approval', 'renderline approve catalog-1'],
    ['failed', 'catalog: failed', 'renderline failures catalog-1'],
    ['complete', 'catalog: complete', null],
  ] as const)(
    'a message with outcome %s has the title "%s" and suggests the command %s',
    (outcome, title, next) => {
      expect(createRunMessage({ ...notice, failures: [], outcome })).toMatchObject({ title, next });
    },
  );

  it('a message lists each export and the stages at which assets started', () => {
    const exports = [
      { node: 'deliver', destination: '/out', files: 5, failed: 0 },
      { node: 'shop', destination: 's3://shop', files: 4, failed: 1 },
    ];
    const { facts } = createRunMessage({
      ...notice,
      failures: [],
      startPoints: [
        { startStage: 'render', assets: 1 },
        { startStage: 'delivery', assets: 4 },
      ],
      exports,
    });
    expect(facts.slice(2, 6)).toEqual([
      ['Repeated', '1 asset begins with the render; the project is reused (settings changed)'],
      [
        'Repeated',
        '4 assets begin with the delivery: nothing is rendered (names, destinations or properties changed)',
      ],
      ['deliver', '5 files in /out'],
      ['shop', '4 files in s3://shop, 1 asset failed'],
    ]);
  });

  it('a message with long names and many failures stays within the limits of Slack and Teams', () => {
    const failure = {
      key: '<!channel> '.repeat(400),
      node: 'n',
      code: 'C',
      message: '&'.repeat(4_000),
      attempts: 1,
    };
    const long = { pipeline: 'p'.repeat(300), failures: Array.from({ length: 20 }, () => failure) };
    const slack = of('slack', { ...long, assets: { ...notice.assets, failed: 900 } }) as {
      blocks: { text: { text: string } }[];
    };
    expect(slack.blocks[0]?.text.text).toHaveLength(150);
    for (const { text } of slack.blocks) expect(text.text.length).toBeLessThanOrEqual(3_000);
    expect(JSON.stringify(slack)).not.toContain('<!channel>');
    expect(slack.blocks.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(of('teams', long)).length).toBeLessThan(28_000);
  });
});

test('a message about assets at a node identifies the run and each asset', () => {
  const source = { path: 'a.glb', bytes: 1, mtimeMs: 1, version: '1' };
  const assets = ['a', 'b'].map((key) => ({ key, source, platformIds: {} }));
  const temporalUi = 'https://temporal.example/workflows/catalog-1';
  const occasion = { run: 'catalog-1', pipeline: 'catalog', node: 'tell', temporalUi };
  expect(createAssetsMessage(assets, occasion)).toEqual({
    title: 'catalog: 2 assets at tell',
    facts: [['Run', 'catalog-1']],
    lines: ['a', 'b'],
    next: null,
    links: [{ text: 'Page of the run in the Temporal UI', url: temporalUi }],
  });
  expect(createAssetsMessage(assets.slice(1), occasion).title).toBe('catalog: 1 asset at tell');
});

describe('a receiver in a pipeline file', () => {
  const rest = `
connectors: { models: { type: local, path: a }, pictures: { type: local, path: b } }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
`;
  const check = (receiver: string) =>
    compileText(`name: x\nnotify: [${receiver}]${rest}`, 'x.yaml', {
      cwd: '/',
      fileFolder: '/',
      parameters: null,
      environment: {},
    }).problems.filter(({ severity }) => severity === 'error');

  test.each([
    '{ url: "https://a.example", secretFrom: RENDERLINE_SECRET_A }',
    '{ format: slack, urlFrom: RENDERLINE_SECRET_SLACK, on: [failed] }',
    '{ format: teams, urlFrom: RENDERLINE_SECRET_TEAMS }',
    '{ urlFrom: RENDERLINE_SECRET_URL, secretFrom: RENDERLINE_SECRET_A }',
    '{ url: "https://a.example/in?shop=2", secretFrom: RENDERLINE_SECRET_A }',
  ])('the receiver %s is accepted', (receiver) => {
    expect(check(receiver)).toEqual([]);
  });

  test.each([
    '{ url: "https://a.example" }',
    '{ format: slack }',
    '{ format: slack, url: "https://hooks.slack.example/x", secretFrom: RENDERLINE_SECRET_A }',
    '{ url: "https://a.example", secretFrom: RENDERLINE_SECRET_A, urlFrom: RENDERLINE_SECRET_B }',
  ])('the receiver %s is refused', (receiver) => {
    expect(check(receiver).map(({ message }) => message)).toEqual([
      expect.stringContaining(
        'must have `url` or `urlFrom`, with `secretFrom`; or `format` with `urlFrom`',
      ) as string,
    ]);
  });

  test.each([
    'https://a.example/in?token=hush-4711',
    'https://hooks.slack.com/services/T0/B0/hush4711',
    'https://acme.webhook.office.com/webhookb2/hush4711',
    'https://prod.logic.azure.com/workflows/1?sig=hush4711',
  ])('the receiver with the secret address %s is refused', (url) => {
    const problems = check(`{ url: "${url}", secretFrom: RENDERLINE_SECRET_A }`);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^notify\[0\]\.url contains a secret.* `urlFrom`$/) as string,
    ]);
  });

  test('the receiver is refused if `urlFrom` holds an address or a variable of the worker', () => {
    expect(check('{ format: slack, urlFrom: "https://hooks.slack.example/x" }')).toHaveLength(1);
    expect(check('{ format: slack, urlFrom: RENDERLINE_API_KEY }')).toMatchObject([
      { code: 'RL315' },
    ]);
  });
});
