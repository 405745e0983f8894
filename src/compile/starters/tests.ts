// The tests that `renderline init` writes next to a pipeline, by purpose.
import { tableFile } from './colorways.ts';

export const testSchemaFile = 'renderline-test.schema.json';

type TestFileTemplate = (pipeline: string) => string;

const formatHead = (pipeline: string, intro = ''): string => {
  const file = pipeline.replace(/\.yaml$/, '.test.yaml');
  return `# yaml-language-server: $schema=${testSchemaFile}
# $schema: ${testSchemaFile}
#
# Tests of ${pipeline}. They need no platform and no Temporal server, cost nothing, and take seconds:
#
#   renderline test ${file}
#   renderline test ${file} --watch
${intro}
tests:`;
};

const ofFolder = `#
# Each test has its own folder: \`folder/hero/sofa.glb\` is in the folder of the parameter \`folder\`.
`;

const formatCatalogTest: TestFileTemplate = (pipeline) => `${formatHead(pipeline, ofFolder)}
  - name: each model becomes one picture, and nothing is done twice
    files: [folder/hero/sofa.glb, folder/lamp.glb]
    expect:
      outcome: complete
      files: [hero/sofa.png, lamp.png]
    again: # a second run, with the results of the first
      - expect: { outcome: complete, assets: { unchanged: 2 }, requests: { total: 0 } }

  - name: a broken file and a slow model do not hold back the others
    files:
      - folder/lamp.glb
      - folder/sofa.glb
      - { path: folder/chair.glb, broken: truncated }
    faults:
      - { model: sofa, takes: 40m } # \`ready\` waits for 30m
    expect:
      outcome: partial_failure
      files: [lamp.png]
      failures:
        - { key: chair, code: TRUNCATED }
        - { key: sofa, node: ready }
`;

const formatColorwaysTest: TestFileTemplate = (pipeline) => `${formatHead(pipeline, ofFolder)}
  - name: each model in the colorways of the table
    platform: { materials: [Oak, Navy] }
    files:
      - { path: folder/living/chair.glb, slots: [frame] }
      - path: ${tableFile}
        text: |
          model,colorway,slot,material
          living/chair,Oak,frame,Oak
          living/chair,Navy,frame,Navy
    expect:
      outcome: complete
      files: [living/chair/Navy/chair.png, living/chair/Oak/chair.png]
`;

const formatSheetsTest: TestFileTemplate = (pipeline) => `${formatHead(pipeline, ofFolder)}
  - name: each model gets a sheet, and nothing is done twice
    files: [folder/shirts/polo.glb, folder/mug.glb]
    expect:
      outcome: complete
      files: [mug.pdf, shirts/polo.pdf]
    again: # a second run, with the results of the first
      - expect: { outcome: complete, assets: { unchanged: 2 }, requests: { total: 0 } }
`;

const formatEventsTest: TestFileTemplate = (pipeline) => `${formatHead(pipeline)}
  - name: models that are uploaded together are pictured in one run
    uploads:
      - { name: lamp }
      - { name: chair }
    expect: { outcome: complete, runs: 1, assets: { complete: 2 }, fileCount: 2 }

  - name: the sweep finds a model whose notification was lost
    uploads:
      - { name: lamp }
    faults:
      - { notification: model.processed, lost: true, times: 1 }
    expect: { outcome: complete, runs: 1, assets: { complete: 1 } }
`;

export const starterTests = {
  catalog: formatCatalogTest,
  colorways: formatColorwaysTest,
  'factory-sheets': formatSheetsTest,
  events: formatEventsTest,
} as const satisfies Record<string, TestFileTemplate>;
