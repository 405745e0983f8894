// The pages that precede a run: the list of pipelines, the form with a pipeline's parameters, and the plan.

import { html } from 'hono/html';
import type { OfferedChoices } from '../app/choices/read-choices.ts';
import { formatDeletes, formatWithdrawal } from '../app/plan/format-deletions.ts';
import type { PlanShape } from '../app/plan/plan-pipeline.ts';
import { formatQuotaStatus } from '../app/plan/quota-status.ts';
import type { PipelineSummary } from '../app/validate/pipeline-files.ts';
import type { Parameter } from '../compile/pipeline.ts';
import { formatCount, formatRange } from '../plan/helpers/format-count.ts';
import { formatRenders } from '../plan/helpers/format-renders.ts';
import { formatSeconds } from '../plan/helpers/format-seconds.ts';
import { quoteForShell } from '../plan/helpers/quote-for-shell.ts';
import { withoutFalse } from '../plan/helpers/without-false.ts';
import { formatStartPoints } from '../plan/run/start-points.ts';
import { factsHtml, type Html, type Page } from './layout.ts';
import type { Choices, FormValues } from './use-cases.ts';

/** The prefix separates fields of parameters from the form's other fields. */
export const formFieldNameOf = (name: string): string => `param.${name}`;

export function createPipelinesPage(
  offered: readonly PipelineSummary[],
  paths: readonly string[],
): Page {
  const body =
    offered.length === 0
      ? html`<p class="empty">
          No pipelines in ${paths.join(', ')}. <code>renderline init</code> creates one.
        </p>`
      : html`<ul class="cards">${offered.map(pipelineCardHtml)}</ul>`;
  return { title: 'Pipelines', section: 'pipelines', body: html`<h1>Pipelines</h1>${body}` };
}

function pipelineCardHtml({ file, name, description, problem, isOnEvents }: PipelineSummary): Html {
  const summary =
    problem === null ? html`<p>${description}</p>` : html`<p class="bad">Not valid, ${problem}</p>`;
  const title =
    problem === null && !isOnEvents
      ? html`<a href="${pipelineAddressOf(file)}">${name}</a>`
      : html`<span>${name}</span>`;
  return html`<li>
    <h2>${title}</h2>
    ${summary}
    ${isOnEvents ? html`<p>Platform events start the runs of this pipeline. Apply it: <code>renderline apply ${quoteForShell(file)}</code></p>` : ''}
    <code>${file}</code>
  </li>`;
}

function pipelineAddressOf(file: string): string {
  return `pipeline?${new URLSearchParams({ file }).toString()}`;
}

interface Form {
  formValues: FormValues;
  choices: Choices;
  /** Error of the last plan or start, shown above the form. Null if there was none. */
  refusal: Html | null;
}

export function createFormPage(
  { file, name, description, parameters }: PipelineSummary,
  form: Form,
): Page {
  const fields = Object.entries(parameters);
  const body = html`<h1>${name}</h1>
    <p>${description}</p>
    ${form.refusal ?? ''}
    <form method="post" action="plan">
      <input type="hidden" name="file" value="${file}" />
      ${fields.length === 0 ? html`<p>This pipeline has no parameters.</p>` : ''}
      ${fields.map(([parameter, declaration]) => fieldHtml(parameter, declaration, form))}
      <button class="main">Show the plan</button>
      <p class="soft">Nothing is created or paid for until you start the run from the plan.</p>
    </form>`;
  return { title: name, section: 'pipelines', body };
}

function fieldHtml(name: string, parameter: Parameter, { formValues, choices }: Form): Html {
  const { description = '', type, min, max } = parameter;
  const id = `p-${name}`;
  const hint = withoutFalse([
    type === 'path' && 'a file or folder on this machine',
    min !== undefined && `at least ${min}`,
    max !== undefined && `at most ${max}`,
  ]).join(', ');
  const offered = choices[name];
  return html`<div class="field">
    <label for="${id}">${name}${isParameterRequired(parameter) ? '' : html` <small>optional</small>`}</label>
    ${inputHtml(id, name, parameter, { given: formValues[name], offered })}
    <small id="${id}-hint">${description} ${hint && `(${hint})`} ${offered?.remark ?? ''}</small>
  </div>`;
}

function isParameterRequired({ required, default: fallback }: Parameter): boolean {
  return required ?? fallback === undefined;
}

function inputHtml(
  id: string,
  name: string,
  parameter: Parameter,
  { given = '', offered }: { given: string | undefined; offered: OfferedChoices | undefined },
): Html {
  const { type, default: fallback } = parameter;
  const field = formFieldNameOf(name);
  const { choices, remark } = offered ?? { choices: [], remark: null };
  const options = choices.map(
    ({ value, name: label }) =>
      html`<option value="${value}" ${value === given ? html`selected` : ''}>${value === label ? value : `${label} (${value})`}</option>`,
  );
  const defaultText = fallback === undefined ? '' : String(fallback);
  if (choices.length > 0 && remark === null) {
    const emptyChoice = isParameterRequired(parameter)
      ? 'Choose …'
      : `as in the file${defaultText && `: ${defaultText}`}`;
    return html`<select id="${id}" name="${field}" aria-describedby="${id}-hint" ${requiredHtml(parameter)}>
      <option value="">${emptyChoice}</option>
      ${options}
    </select>`;
  }
  const isNumber = type === 'integer' || type === 'number';
  // The compiler validates numbers. A number input would silently drop text that the browser cannot parse.
  return html`<input
    id="${id}"
    name="${field}"
    value="${given}"
    placeholder="${defaultText}"
    aria-describedby="${id}-hint"
    autocomplete="off"
    ${options.length > 0 ? html`list="${id}-list"` : ''}
    spellcheck="false"
    ${isNumber ? html`inputmode="decimal"` : ''}
    ${requiredHtml(parameter)}
  />${options.length > 0 ? html`<datalist id="${id}-list">${options}</datalist>` : ''}`;
}

function requiredHtml(parameter: Parameter): Html | '' {
  return isParameterRequired(parameter) ? html`required` : '';
}

/** Renders what a run would do and cost, and the button that starts it. @param notes remarks on the plan */
export function createPlanPage(
  { file, name }: PipelineSummary,
  formValues: FormValues,
  plan: PlanShape,
  notes: string,
): Page {
  const { assets, max, requests, seconds, canary, excess, withdraws, deletes } = plan;
  const toDo = assets.new + assets.changed;
  const operations = Object.entries(requests.byOperation);
  const hidden = Object.entries(formValues).map(
    ([parameter, value]) =>
      html`<input type="hidden" name="${formFieldNameOf(parameter)}" value="${value}" />`,
  );
  const canaryNote =
    canary && toDo > canary.assets ? `, ${canary.assets} first, then your approval` : '';
  const body = html`<h1>${name}: the plan</h1>
    ${factsHtml([
      [
        'Assets',
        `${formatCount(assets.total, 'asset')}: ${assets.new} new, ${assets.changed} changed, ${assets.unchanged} unchanged${canaryNote}`,
      ],
      ...formatStartPoints(plan.startPoints).map((line) => ['Repeated', line] as const),
      assets.refused > 0 && ['Refused', formatCount(assets.refused, 'file')],
      assets.later > 0 && ['Later', `${assets.later} still being written`],
      ['Renders', formatRenders(plan, 'job')],
      ...(withdraws ? formatWithdrawal(withdraws, 'asset') : []).map(
        (line) => ['Withdraws', line] as const,
      ),
      deletes > 0 && ['Deletes', formatDeletes(deletes)],
      ...(plan.renderQuota ? [['Quota', formatQuotaStatus(plan.renderQuota, max)] as const] : []),
      ['Requests', `about ${formatRange(requests.total, requests.max)}`],
      ['Time', `about ${formatSeconds(seconds)}`],
      ...Object.entries(formValues).map(
        ([parameter, value]) => [parameter, html`<code>${value}</code>`] as const,
      ),
    ])}
    ${notes === '' ? '' : html`<pre class="notes">${notes}</pre>`}
    ${
      operations.length === 0
        ? ''
        : html`<details>
          <summary>Requests by operation</summary>
          <table>
            ${operations.map(([operation, number]) => html`<tr><td class="number">${String(number)}</td><td>${operation}</td></tr>`)}
          </table>
        </details>`
    }
    <form method="post" action="start" class="row">
      <input type="hidden" name="file" value="${file}" />
      ${hidden}
      ${excess.length > 0 ? html`<p class="bad">The run would exceed the limits in its file, so it cannot start.</p>` : html`<button class="main">Start</button>`}
      <button formaction="pipeline" class="quiet">Change the values</button>
    </form>`;
  return { title: `${name}: plan`, section: 'pipelines', body };
}
