// The pipelines that `renderline init` writes, by purpose. They are small, commented, valid and ready to run.
import { formatCatalog } from './catalog.ts';
import { formatColorways } from './colorways.ts';
import { formatEvents } from './events.ts';
import { formatFactorySheets } from './factory-sheets.ts';
import type { StarterFacts } from './parts.ts';
import { starterTests } from './tests.ts';

export { firstMaterials, formatColorwayTable, type Slot, tableFile } from './colorways.ts';
export { type StarterFacts, schemaFile } from './parts.ts';
export { testSchemaFile } from './tests.ts';

interface Starter {
  /** What the pipeline produces, in the words of a person who asks for it. */
  title: string;
  /** Whether the pipeline starts with a folder of models. */
  hasFolder: boolean;
  text: (file: string, facts: StarterFacts) => string;
}

/** Starter pipelines in the order in which they are offered. */
export const starters = {
  catalog: {
    title: 'one picture of every model in a folder',
    hasFolder: true,
    text: formatCatalog,
  },
  colorways: {
    title: 'one picture of every model in each colorway of a table',
    hasFolder: true,
    text: formatColorways,
  },
  'factory-sheets': {
    title: 'a production file (PDF) for every model',
    hasFolder: true,
    text: formatFactorySheets,
  },
  events: {
    title: 'pictures of every model that becomes ready on the platform',
    hasFolder: false,
    text: formatEvents,
  },
} as const satisfies Record<string, Starter>;

export type Purpose = keyof typeof starters;

export const purposes = Object.keys(starters) as Purpose[];
export const defaultPurpose: Purpose = 'catalog';

/** Returns the file name of the pipeline for a purpose. */
export function starterFileOf(purpose: Purpose): string {
  return `${purpose}.yaml`;
}

export function formatStarterPipeline(purpose: Purpose, facts: StarterFacts): string {
  return starters[purpose].text(starterFileOf(purpose), facts);
}

/** Returns the file name of the pipeline's tests. */
export function starterTestFileOf(purpose: Purpose): string {
  return `${purpose}.test.yaml`;
}

export function formatStarterTest(purpose: Purpose): string {
  return starterTests[purpose](starterFileOf(purpose));
}
