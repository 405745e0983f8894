// The views of the page in the order of its tabs.

import type { Sandbox } from '../context/sandbox.ts';
import type { ProjectRecord } from '../state/records.ts';
import { modelStatusOf, modelThumbnailKeyOf } from '../status/models.ts';
import { projectStatus } from '../status/projects.ts';
import { hasVideoFormat, outputKeyOf, renderJobStatus, thumbnailKeyOf } from '../status/renders.ts';
import { findTemplate } from '../templates/templates.ts';
import { colorwayView } from './colorway-view.ts';
import { libraryViews } from './library-views.ts';
import { productionView } from './production-view.ts';
import { createView, formatSize, joinFacts, type View } from './view.ts';

/** Formats the number of render jobs by status, except completed ones. */
function formatJobsNote({ store }: Sandbox, nowMs: number): string {
  const counts = new Map<string, number>();
  for (const job of store.renderJobs.all) {
    const status = renderJobStatus(job, nowMs);
    if (status !== 'COMPLETED') counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  const parts = [...counts].map(([status, count]) => `${count} ${status.toLowerCase()}`);
  return parts.length === 0 ? '' : `Render jobs: ${parts.join(', ')}`;
}

const renders = createView({
  id: 'renders',
  title: 'Renders',
  rows: (sandbox) => sandbox.renders.finished,
  name: ({ output }) => output.name,
  note: formatJobsNote,
  card: ({ output }) => {
    const { id, name, format, width, height, bytes = 0, seconds } = output;
    const facts = joinFacts(
      format,
      `${width} × ${height}`,
      seconds === undefined ? undefined : `${seconds} s`,
      formatSize(bytes),
      output.favorited ? 'favourite' : undefined,
      output.isPreview ? 'preview' : undefined,
    );
    return {
      id,
      title: name,
      lines: [facts],
      image: `/cdn/${thumbnailKeyOf(output)}`,
      link: `/cdn/${outputKeyOf(output)}`,
      isVideo: hasVideoFormat(output),
    };
  },
});

/** Returns the thumbnail of the first output of the project's newest completed job, or else of its first model. */
function projectImage({ renders: index, store }: Sandbox, project: ProjectRecord, nowMs: number) {
  const completedJob = [...index.ofProject(project.id)].findLast(
    (job) => job.outputIds.length > 0 && renderJobStatus(job, nowMs) === 'COMPLETED',
  );
  const output = completedJob && index.ofJob(completedJob)[0]?.output;
  if (output) return `/cdn/${thumbnailKeyOf(output)}`;
  const [model] = project.modelIds.flatMap((id) => store.models.get(id) ?? []);
  return model && `/cdn/${modelThumbnailKeyOf(model)}`;
}

const projects = createView({
  id: 'projects',
  title: 'Projects',
  rows: ({ store }) => store.projects.all,
  name: ({ name }) => name,
  card: (project, sandbox, nowMs) => {
    const template = findTemplate(sandbox.store, project.templateId);
    const { length } = project.modelIds;
    return {
      id: project.id,
      title: project.name,
      status: projectStatus(sandbox, project, nowMs),
      lines: [
        joinFacts(
          `${length} ${length === 1 ? 'model' : 'models'}`,
          template?.name ?? 'no template',
        ),
      ],
      image: projectImage(sandbox, project, nowMs),
    };
  },
});

const models = createView({
  id: 'models',
  title: 'Models',
  rows: ({ store }) => store.models.all,
  name: ({ name }) => name,
  card: (model, _sandbox, nowMs) => {
    const status = modelStatusOf(model, nowMs);
    const { file, fileType } = model;
    const problem = status === 'FAILED' ? (model.importedFrom?.error ?? file?.problem) : undefined;
    const isDrawn = status === 'READY' || status === 'APPROVED';
    return {
      id: model.id,
      title: model.name,
      status,
      lines: [
        joinFacts(fileType.toUpperCase(), file && formatSize(file.bytes)),
        ...(problem === undefined ? [] : [problem]),
      ],
      image: isDrawn ? `/cdn/${modelThumbnailKeyOf(model)}` : undefined,
    };
  },
});

export const firstView = renders;

export const views: readonly View[] = [
  renders,
  projects,
  models,
  colorwayView,
  ...libraryViews,
  productionView,
];
