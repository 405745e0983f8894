// CSS of reports, in addition to that of contact sheets.
import { contactSheetStyle } from './contact-sheet-style.ts';

export const reportStyle = `${contactSheetStyle}
:root { --good: #1b6e3c; --warn: #8a5a00; --accent: #1d5fa8; }
@media (prefers-color-scheme: dark) { :root { --good: #7fd6a0; --warn: #f2c26b; --accent: #8ab8f0; } }
body { max-width: 1500px; margin: 0 auto; }
body:has(table) { width: auto; min-width: 0; padding: 2rem clamp(1rem, 4vw, 3rem); }
body:has(table) :is(header, ul) { position: static; width: auto; margin-left: 0; padding-top: 0; }
a { color: var(--accent); }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem .8rem; background: var(--card); }
h2 { margin: 2.4rem 0 .8rem; font-size: 1.2rem; }
h3 { margin: 0; font-size: 1rem; overflow-wrap: anywhere; }
header p { margin: .4rem 0 0; overflow-wrap: anywhere; }
.outcome { display: inline-block; margin-left: .6rem; padding: .15rem .7rem; border: 1px solid currentcolor; border-radius: 99px; font-size: .9rem; font-weight: 600; vertical-align: middle; }
.complete, .good { color: var(--good); }
.partial_failure, .paused, .running { color: var(--warn); }
.outcome.failed, .outcome.cancelled, .outcome.terminated { color: var(--bad); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .8rem; margin: 1.4rem 0 0; }
.figures div { padding: .7rem .9rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.figures dt { color: var(--soft); font-size: .85rem; }
.figures dt::first-letter { text-transform: uppercase; }
.figures dd { margin: 0; font-size: 1.35rem; font-weight: 600; overflow-wrap: anywhere; }
.cause { margin-bottom: .9rem; padding: .9rem 1.1rem; border: 1px solid var(--bad); border-radius: 10px; background: var(--card); }
.cause.repaired { border-color: var(--line); }
.cause p { margin: .35rem 0; overflow-wrap: anywhere; }
.cause .keys { color: var(--soft); font-size: .85rem; }
code { display: block; margin-top: .5rem; padding: .5rem .7rem; border-radius: 6px; background: var(--paper); font: .85rem/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; user-select: all; }
code.inline { display: inline; margin: 0; padding: .1rem .35rem; }
#gallery .key { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
#gallery .failed .caption { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 7; overflow: hidden; }
#filters { display: flex; flex-wrap: wrap; gap: .7rem; align-items: end; margin: 0 0 1rem; }
#filters label { display: grid; gap: .2rem; color: var(--soft); font-size: .8rem; }
#filters :is(input, select, button), dialog button { padding: .45rem .6rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); color: inherit; font: inherit; }
#filters :is(input, select) { color: var(--ink); max-width: 100%; }
#filters input { width: min(20rem, 80vw); }
#filters :is(input, select, button) { font-size: .9rem; }
#shown-count { color: var(--soft); }
#gallery > li { content-visibility: auto; contain-intrinsic-size: auto 17rem; }
[hidden] { display: none !important; }
.frame { color: var(--soft); text-decoration: none; }
button.frame { width: 100%; padding: 0; border: 0; font: inherit; cursor: zoom-in; }
#gallery > :is([data-s='changed'], [data-s='waits for approval']) { border-color: var(--warn); }
#gallery > :is([data-s='changed'], [data-s='waits for approval']) .caption { color: var(--warn); }
:is(a, button, input, select, summary):focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.frame:focus-visible { outline-offset: -3px; }
.wide { overflow-x: auto; }
.wide table { min-width: 100%; table-layout: auto; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
.wide :is(th, td) { position: static; width: auto; max-width: 34rem; padding: .45rem .8rem; border-right: 0; background: none; color: var(--ink); font-size: .9rem; overflow-wrap: anywhere; }
.wide th[scope='row'] { min-width: min(11rem, 40vw); }
.wide td:not(.number) { min-width: 5.5rem; }
.wide thead th:first-child, .wide th:first-child { width: auto; border-right: 0; padding-left: .8rem; }
tbody tr { content-visibility: visible; }
.wide tr:last-child > * { border-bottom: 0; }
td .outcome { margin-left: 0; white-space: nowrap; }
time { white-space: nowrap; }
.wide .number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.wide thead th { white-space: normal; overflow-wrap: normal; }
dialog { width: 96vw; height: 94vh; max-width: none; max-height: none; padding: .8rem; border: 0; border-radius: 12px; background: var(--paper); color: var(--ink); }
dialog[open] { display: grid; grid-template-rows: 1fr auto; gap: .6rem; }
dialog::backdrop { background: #000a; }
.pair { display: flex; gap: .6rem; min-height: 0; }
.pair figure { display: flex; flex: 1; flex-direction: column; min-width: 0; max-width: none; }
.pair img { flex: 1; background: none; min-height: 0; width: 100%; height: 100%; object-fit: contain; }
.pair figcaption { color: var(--soft); text-align: center; }
.bottom { display: flex; flex-wrap: wrap; gap: .6rem; align-items: center; justify-content: space-between; }
.bottom p { flex: 1 1 16rem; margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) {
  #gallery { grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: .7rem; }
  .pair { flex-direction: column; }
}
@media print {
  :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --card: #fff; --line: #bbb; --bad: #a00; --bad-paper: #fff; --good: #060; --warn: #640; --accent: #036; }
  body, body:has(table) { max-width: none; padding: 0; font-size: 11px; }
  #filters, .skip, dialog { display: none; }
  .figures { grid-template-columns: repeat(6, 1fr); gap: .4rem; }
  .figures dd, h3 { font-size: 12px; }
  .caption, .size, .figures dt, .cause .keys, code, .wide :is(th, td) { font-size: 9px; }
  .wide :is(th, td) { padding: .25rem .4rem; }
  .wide th[scope='row'], .wide td:not(.number) { min-width: 0; }
  #gallery { grid-template-columns: repeat(4, 1fr); gap: .5rem; }
  #gallery > li { content-visibility: visible; }
  h2, h3 { break-after: avoid; }
  .cause, .figures div { break-inside: avoid; }
}
`;
