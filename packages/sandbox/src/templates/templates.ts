// The public templates of a new sandbox, and the default template of projects.
import { findBookmark, type Shot, type TemplateLook, templateLooks } from '../drawing/templates.ts';
import type { ShotRecord, TemplateRecord } from '../state/records.ts';
import type { Store } from '../state/store.ts';

function slug(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]+/g, '-');
}

/** Templates of every workspace. Their ids are derived from their names, so that pipelines can use them. */
export const publicTemplates: readonly TemplateRecord[] = templateLooks.map((look, index) => ({
  id: `tpl-${slug(look.name)}`,
  name: look.name,
  description: look.description,
  public: true,
  look: index,
  bookmarks: look.bookmarks.map(({ name }) => ({ id: slug(name), name })),
  shots: look.shots.map(({ name, seconds }) => ({ id: slug(name), name, seconds })),
}));

/** Returns the look of a template's pictures and videos, with its bookmarks and shots by id. */
export function lookOf(template: TemplateRecord): TemplateLook {
  const look = templateLooks[template.look] ?? templateLooks[0];
  const bookmarks = template.bookmarks.map(({ id, name, ...angles }) => ({
    ...findBookmark(look, name),
    ...angles,
    name: id,
  }));
  return { ...look, bookmarks, shots: template.shots.map((shot) => toDrawnShot(shot, look)) };
}

/** Returns the look's shot with this name. If there is none or the template sets angles, a move around the model. */
function toDrawnShot(shot: ShotRecord, look: TemplateLook): Shot {
  const lookShot = look.shots.find(({ name }) => name === shot.name);
  const angle = shot.yawDegrees ?? shot.pitchDegrees ?? shot.turnDegrees;
  if (lookShot && angle === undefined) return { ...lookShot, name: shot.id, seconds: shot.seconds };
  const camera = findBookmark(look);
  const { yawDegrees = camera.yawDegrees, pitchDegrees = camera.pitchDegrees } = shot;
  const from = { yawDegrees, pitchDegrees, margin: camera.margin };
  const to = { ...from, yawDegrees: yawDegrees + (shot.turnDegrees ?? 360) };
  return { name: shot.id, seconds: shot.seconds, fovDegrees: camera.fovDegrees, from, to };
}

export function listAllTemplates(store: Store): readonly TemplateRecord[] {
  return [...publicTemplates, ...store.templates.all];
}

export function findTemplate(store: Store, id: string | undefined): TemplateRecord | undefined {
  if (id === undefined) return undefined;
  return publicTemplates.find((template) => template.id === id) ?? store.templates.get(id);
}

/** Returns the template of a project: its own, or the first public one. */
export function requireRenderTemplate(store: Store, id: string | undefined): TemplateRecord {
  const template = findTemplate(store, id) ?? publicTemplates[0];
  if (!template) throw new Error('The sandbox comes with at least one look.');
  return template;
}
