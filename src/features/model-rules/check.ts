// Node type that states rules for models. It compiles to no step, because the upload compares each file with the rules.
import { defineFileRules } from '../../engine/node-type.ts';
import { takenModelsExample } from '../example.ts';
import { ruleDemandOf } from './rule-demands.ts';
import { ModelRules } from './rules.ts';

export const check = defineFileRules({
  type: 'check',
  summary: 'Refuse models that break rules, before they are uploaded and paid for.',
  docs: `Put the node directly after \`connector_poll\`, or after another \`check\`. \`connector_poll\` compares each file with
the rules before it sends a request. A model that breaks a rule fails with \`MODEL_RULE_BROKEN\` and is not uploaded. The error lists
all broken rules, each with the measured value, the limit and the fix. \`renderline plan\` shows the same failures by file.

With \`level: warn\` the model continues with a warning. A rule that cannot be checked never passes silently: a warning states
"not checked" and the reason. Of FBX, OBJ and USDZ files only the bytes can be checked; a skinned or instanced mesh has no known size.

Sizes and triangles are read from the JSON of the file, and textures from the headers of their images; nothing is decoded. The
size is that of the box around the default scene at rest, computed from the boxes of its meshes: a mesh that its node rotates
may measure larger than it looks. Size limits have a unit; glTF itself is always in metres.

\`khronos\` also runs the [Khronos glTF validator](https://github.khronos.org/glTF-Validator/). It reads the whole file, up to
128 MiB, in a process with limited memory and time.

An asset that \`when:\` skips continues without these rules; use one \`check\` node for each kind of model with its own rules.
Rules decide whether a model is accepted, not how it looks, so a change of rules repeats no work. A model that already has a project or a colorway
is not checked again.`,
  example: `${takenModelsExample('checked-chairs')}
  - id: chairs
    type: check
    parentIds: [take]
    when: 'asset.folder.startsWith("chairs")'
    config:
      triangles: { max: 200000 }
      textures: { max: 12, maxSize: 4096, powerOfTwo: true }
      bytes: { max: 25MB }
      materials: { max: 8, level: warn }
      slots: { required: [seat, legs] }
      variants: { required: [Oak] }
      size: { unit: cm, width: { min: 30, max: 120 }, height: { min: 60, max: 150 } }
      khronos: warn
  - { id: ready, type: model_ready, parentIds: [chairs] }
`,
  config: ModelRules,
  needs: ['model'],
  gives: [],
  recipe: [],
  // The node is a side step, because no step waits for it, and its condition skips only the rules and not the asset.
  isSideStep: true,
  fileNeeds: ruleDemandOf,
  route({ khronos, ...rules }) {
    const names = [...Object.keys(rules), ...(khronos === 'off' ? [] : ['khronos'])];
    return `compares each file with its rules before the upload: ${names.join(', ')}`;
  },
  findConflicts(_rules, { parentTypes }) {
    if (parentTypes.every((type) => type === 'connector_poll' || type === 'check')) return [];
    const message = 'has rules for files, but does not stand directly after connector_poll';
    const fix =
      'Put the node after connector_poll or another check; models on the platform have no file to check.';
    return [{ severity: 'error', path: [], message, fix }];
  },
});
