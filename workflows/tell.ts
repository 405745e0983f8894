// Tells the worker of the news of a workflow, once and not in a replay. It leaves nothing in the history.
import { log } from '@temporalio/workflow';
import { newsAttribute, type RunNews } from '../src/plan/run-news.ts';

/** As a line of the SDK's log, which every worker takes; at debug, since only ours makes more of it. */
export function tell(news: RunNews): void {
  log.debug(news.kind, { [newsAttribute]: news });
}
