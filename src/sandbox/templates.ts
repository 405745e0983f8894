// The templates a fresh sandbox has, and which one applies to a project without any.
import { type TemplateLook, templateLooks } from './draw/templates.ts';
import type { TemplateRecord } from './records.ts';
import type { Store } from './store.ts';

function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Templates that every workspace sees. Ids follow from the names, so that pipelines can name them. */
export const publicTemplates: readonly TemplateRecord[] = templateLooks.map((look, index) => ({
  id: `tpl-${slug(look.name)}`,
  name: look.name,
  description: look.description,
  public: true,
  look: index,
  bookmarks: look.bookmarks.map(({ name }) => ({ id: slug(name), name })),
}));

/** What a template's pictures are drawn with; its bookmarks are named by their ids. */
export function lookOf(template: TemplateRecord): TemplateLook {
  const look = templateLooks[template.look] ?? templateLooks[0];
  const [camera] = look?.bookmarks ?? [];
  if (!look || !camera) throw new Error('The sandbox comes with at least one look.');
  const bookmarks = template.bookmarks.map(({ id, name, ...angles }) => {
    const own = look.bookmarks.find((bookmark) => bookmark.name === name) ?? camera;
    return { ...own, ...angles, name: id };
  });
  return { ...look, bookmarks };
}

export function allTemplates(store: Store): readonly TemplateRecord[] {
  return [...publicTemplates, ...store.templates.all];
}

export function templateOf(store: Store, id: string | undefined): TemplateRecord | undefined {
  if (id === undefined) return undefined;
  return publicTemplates.find((template) => template.id === id) ?? store.templates.get(id);
}

/** The template a project is rendered with: its own, or the first public one. */
export function renderTemplateOf(store: Store, id: string | undefined): TemplateRecord {
  const template = templateOf(store, id) ?? publicTemplates[0];
  if (!template) throw new Error('The sandbox comes with at least one look.');
  return template;
}
