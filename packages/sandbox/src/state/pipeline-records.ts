// Stored facts of pipelines and their imported files.
import type { pipelineNodeTypes, pipelineStatuses } from 'renderline/api/operations/pipelines';

export interface PipelineNode {
  readonly id: string;
  readonly type: (typeof pipelineNodeTypes)[number];
  readonly enabled: boolean;
  readonly config: Readonly<Record<string, unknown>>;
  readonly parentIds: readonly string[];
}

export interface PipelineRecord {
  readonly id: string;
  readonly name: string;
  readonly status: (typeof pipelineStatuses)[number];
  readonly nodes: readonly PipelineNode[];
  readonly batchSize: number;
  readonly maxRetries: number;
  /** Number of failed jobs and failed polls of the folder since the last completed job or reactivation. */
  readonly consecutiveFailures: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface SourceFile {
  readonly name: string;
  /** Relative to the connected folder, with `/`. */
  readonly path: string;
  readonly size: number;
}

export interface PipelineJobRecord {
  readonly id: string;
  readonly pipelineId: string;
  readonly connector: string;
  readonly sourceFile: SourceFile;
  /** Time of the file's last change. Together with connector, path and size, it identifies a version. */
  readonly modifiedAt: number;
  readonly modelId?: string;
  readonly projectId?: string;
  readonly renderJobId?: string;
  readonly retryCount: number;
  readonly lastError?: string;
  /** Set once, when the end of the job is noticed. */
  readonly ended?: 'COMPLETED' | 'FAILED' | 'CANCELLED';
  readonly renderOutputs: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}
