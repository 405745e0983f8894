// CSS of contact sheets: cards or a table, in light and dark mode, for screen and print.

export const contactSheetStyle = `
:root { color-scheme: light dark; --ink: #1c232b; --soft: #66717d; --paper: #f4f5f6; --card: #fff; --line: #dfe3e7; --bad: #b3261e; --bad-paper: #fdeceb; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --soft: #9aa5b0; --paper: #14181c; --card: #1d2329; --line: #2c343c; --bad: #ff8a80; --bad-paper: #3a1f1e; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem); background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.6rem; overflow-wrap: anywhere; }
header p { margin: .3rem 0 1.6rem; color: var(--soft); }
header strong { color: var(--bad); }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(220px, 1fr)); gap: 1.1rem; margin: 0; padding: 0; list-style: none; }
li { display: flex; flex-direction: column; overflow: hidden; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.frame { display: flex; align-items: safe center; justify-content: center; aspect-ratio: 16 / 9; background: var(--paper); }
.frame img { width: 100%; height: 100%; object-fit: contain; }
.failed { border-color: var(--bad); }
.failed .frame { padding: 1rem; background: var(--bad-paper); color: var(--bad); text-align: center; overflow-wrap: anywhere; overflow: auto; }
.failed .frame:has(img) { padding: 0; }
.text { padding: .65rem .8rem .75rem; }
.key { font-weight: 600; overflow-wrap: anywhere; }
.caption, .size { color: var(--soft); font-size: .85rem; overflow-wrap: anywhere; }
/* The page itself scrolls, so that sticky table heads and the title stay visible. */
body:has(table) { width: max-content; min-width: 100%; padding-left: 0; padding-right: 0; }
body:has(table) :is(header, ul) { position: sticky; left: 1rem; width: calc(100vw - 2rem); margin-left: 1rem; }
body:has(table) ul { padding-top: 1.5rem; }
table { min-width: 100%; border-collapse: separate; border-spacing: 0; table-layout: fixed; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .6rem; border-bottom: 1px solid var(--line); vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { position: sticky; background: var(--paper); font-weight: 600; }
thead th { top: 0; z-index: 1; width: 13rem; vertical-align: bottom; }
thead th:first-child { left: 0; z-index: 2; width: clamp(7rem, 24vw, 15rem); }
th:first-child { left: 0; padding-left: 1rem; border-right: 1px solid var(--line); }
tbody tr { content-visibility: auto; }
td { color: var(--soft); font-size: .85rem; }
td p { margin: 0; padding: .6rem .7rem; border: 1px solid var(--line); border-radius: 8px; }
td .bad { border-color: var(--bad); background: var(--bad-paper); color: var(--bad); }
.none { text-align: center; vertical-align: middle; }
figure, td p { max-width: 20rem; }
figure { margin: 0; }
figure img { display: block; width: 100%; height: auto; border-radius: 6px; background: var(--card); }
figcaption { margin-top: .25rem; }
.many { display: grid; grid-template-columns: 1fr 1fr; gap: .5rem; }
.many p { grid-column: 1 / -1; }
a:focus-visible { outline: 2px solid currentcolor; outline-offset: 2px; }
@media print {
  body:has(table) { width: 100%; padding: 0; }
  body:has(table) :is(header, ul) { position: static; width: auto; margin-left: 0; }
  table { width: 100%; min-width: 0; }
  th, thead th, thead th:first-child { position: static; width: auto; }
  th, td { padding: .25rem; font-size: .7rem; }
  tr, li { break-inside: avoid; }
  tbody tr { content-visibility: visible; }
}
`;
