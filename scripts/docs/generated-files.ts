// Creates all files that are generated from the source. Deterministic and pure.

import { operationFamilies } from '../../src/api/operation-families.ts';
import {
  createPipelineSchema,
  createSharedSchema,
  formatSchema,
  testSchema,
} from '../../src/compile/schema.ts';
import { nodeTypes } from '../../src/features/index.ts';
import { formatChartRules, formatRules } from './alert-rules.ts';
import { formatFamilyPage } from './api-family-page.ts';
import { familyFileOf, formatApiPage, rowsOf } from './api-page.ts';
import { drawArchitecture } from './architecture-picture.ts';
import { formatChannelsPage } from './channels-page.ts';
import { formatConnectorsPage } from './connectors-page.ts';
import { formatErrorsPage } from './errors-page.ts';
import { formatDashboard } from './grafana-dashboard.ts';
import { formatLimitsPage } from './limits.ts';
import { formatLlmsPage } from './llms-page.ts';
import { formatMetricsPage } from './metrics-page.ts';
import { formatNodeIndex, formatNodePage } from './node-pages.ts';
import { createRunsOpenApi } from './runs-openapi.ts';
import { testFilesPage } from './test-files-page.ts';

/** Folders that contain only generated files. Any other file in them is reported as obsolete. */
export const generatedFolders: readonly string[] = ['docs/nodes', 'docs/api'];

/** Returns the contents of the files by path, relative to the root of the repository. */
export function createGeneratedFiles(): ReadonlyMap<string, string> {
  const families = operationFamilies.filter((family) => rowsOf(family).length > 0);
  return new Map([
    ['pipelines/schema.json', formatSchema(createPipelineSchema())],
    ['pipelines/shared-schema.json', formatSchema(createSharedSchema())],
    ['pipelines/test-schema.json', formatSchema(testSchema())],
    ['docs/test-files.md', testFilesPage()],
    ['docs/nodes/README.md', formatNodeIndex()],
    ...nodeTypes.map((type): [string, string] => [
      `docs/nodes/${type.type}.md`,
      formatNodePage(type),
    ]),
    ['docs/channels.md', formatChannelsPage()],
    ['docs/connectors.md', formatConnectorsPage()],
    ['docs/api.md', formatApiPage()],
    ...families.map((family): [string, string] => [
      `docs/api/${familyFileOf(family)}`,
      formatFamilyPage(family, rowsOf(family)),
    ]),
    ['docs/errors.md', formatErrorsPage()],
    ['docs/limits.md', formatLimitsPage()],
    ['docs/metrics.md', formatMetricsPage()],
    ['docs/start-runs.openapi.json', `${JSON.stringify(createRunsOpenApi(), null, 2)}\n`],
    ['deploy/grafana/renderline.json', formatDashboard()],
    ['deploy/helm/renderline/files/dashboard.json', formatDashboard()],
    ['deploy/prometheus/rules.yml', formatRules()],
    ['deploy/helm/renderline/files/rules.yaml', formatChartRules()],
    ['llms.txt', formatLlmsPage()],
    ...drawArchitecture(),
  ]);
}
