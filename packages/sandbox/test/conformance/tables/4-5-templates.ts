import { expect } from 'vitest';
import { invalid, ok, requestRows, type Table } from '../_rows.ts';
import { Templates } from '../_shapes.ts';

export const templates: Table = {
  section: '4.5 GET /templates, 2.7',
  rows: [
    {
      rule: 'a template has templateId, name and description',
      send: 'GET /templates',
      is: ok(Templates),
    },
    ...requestRows('internal and public are booleans', invalid, [
      'GET /templates?public=maybe',
      'GET /templates?internal=2',
    ]),
    {
      rule: 'internal=false omits the templates of the workspace, and public=false omits the public templates',
      on: {},
      check: async (p) => {
        const publicOnes = await p.ok('GET /templates', Templates);
        await p.controls.template({ name: 'Ours', bookmarks: [{ id: 'main', name: 'Main' }] });
        const names = async (query: string) =>
          (await p.ok(`GET /templates${query}`, Templates)).templates
            .map(({ name }) => name)
            .sort();
        const expected = publicOnes.templates.map(({ name }) => name).sort();
        expect(await names('?internal=false')).toEqual(expected);
        expect(await names('?public=false')).toEqual(['Ours']);
        expect(await names('')).toEqual([...expected, 'Ours'].sort());
        expect(await names('?internal=true&public=true')).toEqual([...expected, 'Ours'].sort());
        expect(await names('?internal=false&public=false')).toEqual([]);
      },
    },
  ],
};
