// The pipelines that `renderline init` writes, by purpose: small, commented, valid, and ready to run.
import { catalog } from './catalog.ts';
import { colorways } from './colorways.ts';
import { events } from './events.ts';
import { factorySheets } from './factory-sheets.ts';
import type { StarterFacts } from './parts.ts';
import { starterTests } from './tests.ts';

export { colorwayTable, firstMaterials, type Slot, tableFile } from './colorways.ts';
export { type StarterFacts, schemaFile } from './parts.ts';
export { testSchemaFile } from './tests.ts';

interface Starter {
  /** What the pipeline makes, as a person would ask for it. */
  title: string;
  /** Whether the pipeline starts with a folder of models. */
  hasFolder: boolean;
  text: (file: string, facts: StarterFacts) => string;
}

/** Starter pipelines in the order in which they are offered. The first is the default. */
export const starters = {
  catalog: { title: 'one picture of every model in a folder', hasFolder: true, text: catalog },
  colorways: { title: 'every model in the colorways of a table', hasFolder: true, text: colorways },
  'factory-sheets': {
    title: 'a production file (PDF) of every model',
    hasFolder: true,
    text: factorySheets,
  },
  events: {
    title: 'pictures of whatever becomes ready on the platform',
    hasFolder: false,
    text: events,
  },
} as const satisfies Record<string, Starter>;

export type Purpose = keyof typeof starters;

export const purposes = Object.keys(starters) as Purpose[];

/** File name of the pipeline for a purpose. */
export function starterFile(purpose: Purpose): string {
  return `${purpose}.yaml`;
}

export function starterPipeline(purpose: Purpose, facts: StarterFacts): string {
  return starters[purpose].text(starterFile(purpose), facts);
}

/** File name of the tests of the pipeline. */
export function starterTestFile(purpose: Purpose): string {
  return `${purpose}.test.yaml`;
}

export function starterTest(purpose: Purpose): string {
  return starterTests[purpose](starterFile(purpose));
}
