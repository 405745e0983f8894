import { html, raw } from 'hono/html';
import type { Sheet, SheetLogo, SheetVariant, SheetZone } from '../state/production-records.ts';
import { viewNames } from '../state/production-records.ts';
import {
  formatInk,
  formatLogoSize,
  formatPlacement,
  listNotices,
  listSheetWarnings,
  noPantone,
} from './sheet-format.ts';

type Html = ReturnType<typeof html>;
type Link = (picture: string) => string;

/** Renders a draft as HTML without scripts, self-contained except for pictures. @param link signs a picture's URL */
export async function previewHtml(sheet: Sheet, link: Link): Promise<string> {
  const warnings = listSheetWarnings(sheet);
  const page = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src http: https:; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width" />
        <title>DRAFT: ${sheet.modelName}</title>
        <style>${raw(style)}</style>
      </head>
      <body>
        ${warnings.length > 0 ? warningsHtml(warnings) : ''}
        ${sheet.variants.map((variant) => topSheetHtml(sheet, variant, link))}
      </body>
    </html>`;
  return page.toString();
}

function warningsHtml(warnings: readonly string[]): Html {
  return html`<section class="warnings"><h2>Missing</h2>
    <ul>${warnings.map((line) => html`<li>${line}</li>`)}</ul></section>`;
}

function topSheetHtml(sheet: Sheet, variant: SheetVariant, link: Link): Html {
  const { includeSideViews, includeDetailPages, factoryNote } = sheet.options;
  const shownViews = viewNames.filter(
    (view) => includeSideViews || view === 'front' || view === 'back',
  );
  const { views, preview } = variant;
  const pictures = views
    ? shownViews.map((view) => pictureHtml(link(views[view]), view))
    : preview === undefined
      ? html`<p class="missing">No picture</p>`
      : pictureHtml(link(preview), 'preview, not to scale');
  return html`<article>
    <div class="draft">DRAFT</div>
    <header><div><h1>${sheet.modelName}</h1><p>${variant.name}</p></div>
      <p class="number">DRAFT<br /><small>no document number</small></p></header>
    ${listNotices(variant).map(({ title, text }) => html`<p class="notice"><b>${title}</b> ${text}</p>`)}
    <div class="body">
      <div class="views">${pictures}</div>
      <div>
        <h2>Fabric zones (${variant.zones.length})</h2>
        <table>${variant.zones.map(zoneRowHtml)}</table>
        <h2>Logos (${variant.logos.length})</h2>
        ${variant.logos.map((logo) => logoHtml(logo, includeDetailPages, link))}
      </div>
    </div>
    ${factoryNote ? html`<section class="note"><h2>Factory note</h2><p>${factoryNote}</p></section>` : ''}
  </article>`;
}

function pictureHtml(address: string, title: string): Html {
  return html`<figure><img alt="${title}" src="${address}" /><figcaption>${title}</figcaption></figure>`;
}

function swatchHtml(hex: string | null | undefined): Html {
  // Only validated colours may appear in a style.
  const safe = hex && /^#[0-9a-f]{6}$/i.test(hex) ? hex : undefined;
  return safe
    ? html`<span class="swatch" style="background:${safe}"></span>`
    : html`<span class="swatch none"></span>`;
}

function zoneRowHtml({ name, material, pantone }: SheetZone): Html {
  return html`<tr><td>${swatchHtml(pantone?.hex)}</td>
    <td><b>${name}</b><br /><small>Material: ${material}</small></td>
    <td class="${pantone ? '' : 'missing'}">${pantone ? `PANTONE ${pantone.code}` : noPantone}</td></tr>`;
}

function logoHtml(logo: SheetLogo, withCloseUp: boolean, link: Link): Html {
  const placement = formatPlacement(logo);
  return html`<section class="logo">
    <h3><span class="marker">${logo.number}</span> ${logo.name}</h3>
    <p>On ${logo.slotName}. ${logo.method ?? 'No decoration method'}. <small>${formatLogoSize(logo)}</small></p>
    ${placement === undefined ? '' : html`<p><small>${placement}</small></p>`}
    <ul class="inks">${logo.inks.map((ink) => html`<li>${swatchHtml(ink.hex)} ${formatInk(ink)}</li>`)}</ul>
    ${logo.inks.length === 0 ? html`<p class="missing">No inks on file</p>` : ''}
    <div class="pictures">
      ${logo.picture === undefined ? '' : pictureHtml(link(logo.picture), 'artwork')}
      ${withCloseUp && logo.closeUp !== undefined ? pictureHtml(link(logo.closeUp), 'close-up') : ''}
    </div>
  </section>`;
}

const style = `
body { font: 14px/1.45 Helvetica, Arial, sans-serif; color: #15181c; background: #e4e7ea; margin: 0; padding: 24px }
article, .warnings { position: relative; overflow: hidden; max-width: 1120px; margin: 0 auto 24px; padding: 28px 32px; background: #fff; box-shadow: 0 1px 4px #0003 }
.draft { position: absolute; inset: 0; display: grid; place-items: center; font: bold 220px Helvetica, Arial, sans-serif; color: #d0021b12; transform: rotate(-24deg); pointer-events: none }
header { display: flex; justify-content: space-between; gap: 24px; border-bottom: 2px solid; margin-bottom: 14px }
h1 { font-size: 24px; margin: 0; overflow-wrap: anywhere } header p { margin: 2px 0 8px; color: #5d646d; overflow-wrap: anywhere }
.number { text-align: right; font-weight: bold; color: #d0021b; white-space: nowrap }
h2 { font-size: 13px; border-bottom: 1px solid; margin: 14px 0 6px } h3 { font-size: 14px; margin: 8px 0 2px; overflow-wrap: anywhere }
.body { display: grid; grid-template-columns: 2fr 1fr; gap: 28px }
.views { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; align-content: start }
figure { margin: 0 } img { width: 100%; border: 1px solid #c9ced4; box-sizing: border-box; background: #d3d7db }
figcaption { text-align: center; font-size: 12px; color: #5d646d; text-transform: capitalize }
table { width: 100%; border-collapse: collapse } td { padding: 4px 8px 4px 0; vertical-align: top; overflow-wrap: anywhere }
.swatch { display: inline-block; width: 26px; height: 16px; border: 1px solid #5d646d; vertical-align: middle }
.none { background: linear-gradient(to top left, #fff 49%, #c9ced4 50%, #fff 51%) }
.missing { color: #d0021b } small { color: #5d646d } ul { padding-left: 18px } .inks { list-style: none; padding: 0; margin: 4px 0 }
.notice { background: #fff3d6; border: 1px solid #e0a100; padding: 4px 10px }
.marker { display: inline-grid; place-items: center; width: 20px; height: 20px; border-radius: 50%; background: #d0021b; color: #fff; font-size: 12px }
.logo p { margin: 2px 0; overflow-wrap: anywhere } .pictures { display: grid; grid-template-columns: 1fr 1fr; gap: 10px; margin-top: 6px }
.note { background: #eef0f2; padding: 1px 14px 8px; margin-top: 16px } .note p { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0 }
`;
