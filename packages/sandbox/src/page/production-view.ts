// The view of production files: the front view or preview of the first variant, with a link to the PDF.
import { readFile } from 'node:fs/promises';
import type { Hono } from 'hono';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { fileKeyOf } from '../sheets/file-key.ts';
import type { ProductionFileRecord } from '../state/production-records.ts';
import { createView } from './view.ts';

/** Returns the name of the picture that represents a file. */
function pictureOf({ sheet }: ProductionFileRecord): string | undefined {
  const [first] = sheet.variants;
  return first?.views?.front ?? first?.preview;
}

function filePathOf({ id }: ProductionFileRecord): string {
  return `/_page/production-files/${id}`;
}

export const productionView = createView({
  id: 'production',
  title: 'Production',
  rows: ({ store }) => store.productionFiles.all,
  name: ({ sheet, documentNumber }) => `${documentNumber} ${sheet.modelName}`,
  card: (file) => ({
    id: file.id,
    title: `${file.documentNumber} · ${file.sheet.modelName}`,
    lines: [`version ${file.version}`, file.sheet.variants.map(({ name }) => name).join(', ')],
    image: pictureOf(file) === undefined ? undefined : `${filePathOf(file)}/picture`,
    link: filePathOf(file),
  }),
});

/** Serves files that need a signed link elsewhere, because the page is for the person who runs the sandbox. */
export function addProductionRoutes(app: Hono<Env>, sandbox: Sandbox): void {
  const { store, links, options, pictures } = sandbox;
  app.get('/_page/production-files/:id', (c) => {
    const file = store.productionFiles.get(c.req.param('id'));
    if (!file) return c.notFound();
    const { origin } = new URL(c.req.url);
    return c.redirect(links.sign('GET', origin, fileKeyOf(file), options.clock()));
  });
  app.get('/_page/production-files/:id/picture', async (c) => {
    const file = store.productionFiles.get(c.req.param('id'));
    const name = file && pictureOf(file);
    if (name === undefined) return c.notFound();
    const small = await pictures.thumbnail(name);
    const bytes = await readFile(pictures.path(small.file));
    return c.body(new Uint8Array(bytes), 200, { 'content-type': 'image/jpeg' });
  });
}
