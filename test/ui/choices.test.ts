// The form before a run, with a real workspace: its choices come from the workspace.
import { describe, expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { DeliveredFiles } from '../../src/ui/delivered-files.ts';
import { createUiRoutes } from '../../src/ui/routes.ts';
import { createUseCases } from '../../src/ui/use-cases.ts';
import {
  countRequests,
  folderOf,
  pipelineWith,
  startWorkspace,
} from '../app/choices/_workspace.ts';
import { ownVisitor } from './_visitor.ts';

const origin = 'http://127.0.0.1:4030';

/** The pages for a pipeline of one parameter. */
function pages(env: Record<string, string>, declaration: string) {
  const app = new App({ env, cwd: folderOf(pipelineWith(declaration)) });
  const useCases = createUseCases(app, new AbortController().signal, ownVisitor());
  const routes = createUiRoutes({
    useCases,
    files: new DeliveredFiles({}),
    paths: ['.'],
    visitor: ownVisitor('/ui/'),
  });
  const text = async (path: string, body?: Record<string, string>) => {
    const form = body && { method: 'POST', body: new URLSearchParams(body) };
    const response = await routes.request(`${origin}/ui/${path}`, form);
    return response.text();
  };
  return { text, form: () => text('pipeline?file=a.yaml') };
}

/** Values and texts of the choices. */
function optionsIn(page: string): string[][] {
  const found = page.matchAll(/<option value="([^"]*)"[^>]*>([^<]*)</g);
  return [...found].map(([, value = '', shown = '']) => [value, shown]);
}

const templates = [
  'Studio White',
  'Hero Dark',
  'Catalog Front',
  'Warm Floor',
  'Turntable',
  'Cut Out',
];
const same = (...names: string[]) => names.map((name) => [name, name]);

describe('the choices in a form', () => {
  test.each([
    ['templates', '{ from: templates }', same(...templates)],
    ['materials with unique names', '{ from: materials }', same('Walnut', 'Oak')],
    ['properties', '{ from: properties }', same('Season')],
    ['options of a property', '{ from: properties, property: Season }', same('Spring', 'Autumn')],
  ])('the form offers %s', async (_what, values, choices) => {
    const { env } = await startWorkspace();
    const page = await pages(env, `{ type: enum, values: ${values} }`).form();
    expect(page).toMatch(/<select[^>]+name="param\.x"[^>]+required/);
    expect(optionsIn(page)).toEqual([['', 'Choose …'], ...choices]);
  });
});

test('a list is read once for several forms, and again after a refused value, which is shown with a hint', async () => {
  const { env } = await startWorkspace();
  const { form, text } = pages(env, '{ type: enum, values: { from: templates } }');
  const requests = countRequests();
  await form();
  await form();
  expect(requests).toEqual({ listTemplates: 1 });
  const page = await text('plan', { file: 'a.yaml', 'param.x': 'Hero Drak' });
  expect(page.match(/a\.yaml:\d+:\d+/g)).toEqual(['a.yaml:3:3']);
  expect(page).toContain('did you mean &quot;Hero Dark&quot;?');
  expect(optionsIn(page)).toHaveLength(1 + templates.length);
  expect(requests).toEqual({ listTemplates: 2 });
});

describe('a text field without choices', () => {
  test('a text field says that the platform does not respond', async () => {
    const { env, stop } = await startWorkspace();
    const { form } = pages(env, '{ type: enum, values: { from: templates } }');
    await stop();
    const page = await form();
    expect(page).toMatch(/<input[^>]+name="param\.x"/);
    expect(page).toMatch(
      /The templates of the workspace cannot be listed, so type a name\. [^<]*127\.0\.0\.1/,
    );
    expect(page).not.toContain('<option');
  });

  test.each([
    ['no platform is configured', {}, 'templates', 'The platform is not configured'],
    ['there are none', null, 'properties, property: Empty', 'has no property'],
  ])('a text field says that %s', async (_what, settings, from, why) => {
    const { env } = await startWorkspace();
    const declaration = `{ type: enum, values: { from: ${from} } }`;
    const page = await pages(settings ?? env, declaration).form();
    expect(page).toMatch(/<input[^>]+name="param\.x"/);
    expect(page).toContain(why);
  });
});
