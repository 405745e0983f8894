// All files that are generated from the source. Deterministic and pure.

import { operationFamilies } from '../api/operation-families.ts';
import { pipelineSchema, schemaText, sharedSchema, testSchema } from '../compile/schema.ts';
import { nodeTypes } from '../features/index.ts';
import { runsOpenApi } from '../receiver/runs/openapi.ts';
import { chartRulesText, rulesText } from './alert-rules.ts';
import { familyPage } from './api-family-page.ts';
import { apiPage, familyFile, rowsOf } from './api-page.ts';
import { architecturePictures } from './architecture-picture.ts';
import { channelsPage } from './channels-page.ts';
import { connectorsPage } from './connectors-page.ts';
import { errorsPage } from './errors-page.ts';
import { formatDashboard } from './grafana-dashboard.ts';
import { limitsPage } from './limits.ts';
import { llmsPage } from './llms-page.ts';
import { metricsPage } from './metrics-page.ts';
import { nodeIndex, nodePage } from './node-pages.ts';
import { testFilesPage } from './test-files-page.ts';

/** Folders that contain only generated files, so that an obsolete file is detected. */
export const generatedFolders: readonly string[] = ['docs/nodes', 'docs/api'];

/** Texts by path, relative to the root of the repository. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const families = operationFamilies.filter((family) => rowsOf(family).length > 0);
  return new Map([
    ['pipelines/schema.json', schemaText(pipelineSchema())],
    ['pipelines/shared-schema.json', schemaText(sharedSchema())],
    ['pipelines/test-schema.json', schemaText(testSchema())],
    ['docs/test-files.md', testFilesPage()],
    ['docs/nodes/README.md', nodeIndex()],
    ...nodeTypes.map((type): [string, string] => [`docs/nodes/${type.type}.md`, nodePage(type)]),
    ['docs/channels.md', channelsPage()],
    ['docs/connectors.md', connectorsPage()],
    ['docs/api.md', apiPage()],
    ...families.map((family): [string, string] => [
      `docs/api/${familyFile(family)}`,
      familyPage(family, rowsOf(family)),
    ]),
    ['docs/errors.md', errorsPage()],
    ['docs/limits.md', limitsPage()],
    ['docs/metrics.md', metricsPage()],
    ['docs/start-runs.openapi.json', `${JSON.stringify(runsOpenApi(), null, 2)}\n`],
    ['deploy/grafana/renderline.json', formatDashboard()],
    ['deploy/helm/renderline/files/dashboard.json', formatDashboard()],
    ['deploy/prometheus/rules.yml', rulesText()],
    ['deploy/helm/renderline/files/rules.yaml', chartRulesText()],
    ['llms.txt', llmsPage()],
    ...architecturePictures(),
  ]);
}
