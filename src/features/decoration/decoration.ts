import { isObject } from '../../api/unknown-values.ts';
import { defineNode } from '../../engine/node-type.ts';
import { findExpressions } from '../../language/value-template.ts';
import type { Json } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { decorateLogos } from './decorate-logos.ts';
import { DecorationConfig } from './decoration-config.ts';

export const decorationNode = defineNode({
  type: 'decoration',
  summary: 'Set the decoration methods and inks of logos on variants.',
  docs: `Each entry of \`logos\` refers to a slot that holds a logo. \`method\` is set on each variant that a \`variant\` node chose, or on
each variant with a logo in that slot if no variant was chosen. A method that a variant already has costs no request.

Inks belong to the logo, wherever it is used. Write them as a list, or as the line of text that people write under a logo (\`spec\`). The platform's
remarks about this line become warnings of the asset. A run writes the inks of a logo once. Two assets that set different inks for a logo both fail as
INKS_CONFLICT if they are in one call; otherwise the first asset sets its inks and the second asset fails. The platform shows no
inks, so each run writes them again for assets that reach this node; an unchanged asset does not reach it.

The form of each code is checked before anything is sent: once for codes in the file, and for each asset if codes are computed. An ink whose texts are all
empty is left out, so that a table may have columns for more inks than a row uses.

Put the node after \`variant\` and before an \`export\` of production files. A change of methods or inks creates these files again, and
renders nothing. The platform does not document the fields of slots: \`fields: { slot: { id: …, name: …, logos: … } }\` in
\`renderline.yaml\` names them if they differ from \`slotId\`, \`name\` and \`logos\`.`,
  example: `${readyModelsExample('decorated-shirts', 'out')}
  - { id: red, type: variant, parentIds: [ready], config: { choose: { names: [Red] } } }
  - id: logos
    type: decoration
    parentIds: [red]
    config:
      logos:
        - slot: Front
          method: Screen print
          inks:
            - { name: Navy, pantoneCode: 289 C, hex: "#0c2340" }
            - { name: White }
        - slot: Back
          when: asset.folder == "team"
          spec: "3.5 x 2 in / 2 colors / PMS 186, white / embroidery"
          method: Embroidery
  - id: sheets
    type: export
    parentIds: [logos]
    config: { connector: out, what: [production_files] }
`,
  config: DecorationConfig,
  mode: 'call',
  stage: 'sheet',
  needs: ['ready model'],
  gives: [],
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  recipe: ['logos'],
  route: () =>
    'reads the logos of each model, sets methods that differ, and the inks of each logo once',
  cost: {
    requests: ({ assets, config }) => ({
      listDecalSlots: assets,
      setDecorationMethod: assets * countLogos(config, ({ method }) => method !== undefined),
    }),
    once: ({ assets, config }) => ({
      setDecalInks: countLogos(config, hasFixedInks) + assets * countLogos(config, hasComputedInks),
    }),
  },
  run: decorateLogos,
});

type LogoFields = Readonly<Record<string, Json>>;

/** True if the logo has inks without CEL. Fixed inks cost requests once per run, computed inks once per asset. */
function hasFixedInks(logo: LogoFields): boolean {
  const hasInks = logo['inks'] !== undefined || logo['spec'] !== undefined;
  return hasInks && !hasComputedInks(logo);
}

function hasComputedInks({ inks = null, spec = null }: LogoFields): boolean {
  return findExpressions(JSON.stringify([inks, spec])).length > 0;
}

function countLogos(
  { logos }: Readonly<Record<string, Json>>,
  isCounted: (logo: LogoFields) => boolean,
): number {
  const list = Array.isArray(logos) ? logos : [];
  return list.filter((logo) => isObject(logo) && isCounted(logo)).length;
}
