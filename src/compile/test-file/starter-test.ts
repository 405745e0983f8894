// The tests that `renderline init` writes beside its pipeline.

/** The file beside it that editors check it by. */
export const testSchemaFile = 'renderline-test.schema.json';

export const starterTest = `# yaml-language-server: $schema=${testSchemaFile}
# $schema: ${testSchemaFile}
#
# Tests of pipeline.yaml. They need no platform and no Temporal server, cost nothing, and take seconds:
#
#   renderline test
#   renderline test --watch
#
# Each test has a folder of its own: \`folder/hero/sofa.glb\` lies where the parameter \`folder\` leads to.

tests:
  - name: each model becomes one picture, and nothing is done twice
    files: [folder/hero/sofa.glb, folder/lamp.glb]
    expect:
      outcome: complete
      files: [hero/sofa.png, lamp.png]
    again: # a second run, with what the first one left
      - expect: { outcome: complete, assets: { unchanged: 2 }, requests: { total: 0 } }

  - name: a broken file and a model that takes too long hold back no other
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
