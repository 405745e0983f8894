// The page's style sheet, for light and dark mode and for all screen sizes.

export const style = `
:root { color-scheme: light dark; --ink: #1c232b; --soft: #5f6b77; --paper: #f4f5f6; --card: #fff; --line: #dfe3e7; --accent: #0b57d0; --good: #17703a; --busy: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --soft: #9aa5b0; --paper: #14181c; --card: #1d2329; --line: #2c343c; --accent: #8ab4f8; --good: #7ddb9c; --busy: #f2c46d; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.45 system-ui, sans-serif; }
header { position: sticky; top: 0; z-index: 1; padding: 0 clamp(.8rem, 3vw, 2rem); background: var(--paper); border-bottom: 1px solid var(--line); }
.bar { padding: .9rem clamp(.8rem, 3vw, 2rem) .2rem; display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center; justify-content: space-between; }
h1 { margin: 0; font-size: 1.15rem; }
#live { color: var(--soft); font-size: .8rem; font-weight: 400; margin-left: .5rem; }
#live.lost { color: var(--bad); }
nav { display: flex; gap: .2rem; overflow-x: auto; margin-top: .5rem; }
nav a { flex: none; padding: .45rem .7rem; color: var(--soft); text-decoration: none; border-bottom: 3px solid transparent; }
nav a[aria-current] { color: var(--ink); border-color: var(--accent); font-weight: 600; }
nav small { color: var(--soft); font-weight: 400; }
input, button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .35rem .7rem; }
input { width: min(60vw, 16rem); }
main { padding: 1rem clamp(.8rem, 3vw, 2rem) 3rem; }
main > p { margin: 0 0 .9rem; color: var(--soft); }
ul { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(44vw, 210px), 1fr)); gap: .9rem; margin: 0; padding: 0; list-style: none; }
li { display: flex; flex-direction: column; min-width: 0; overflow: hidden; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.frame { position: relative; display: grid; place-items: center; aspect-ratio: 16 / 9; background: color-mix(in srgb, var(--ink) 7%, transparent); color: var(--soft); }
.frame img, .frame video { width: 100%; height: 100%; object-fit: contain; position: absolute; inset: 0; }
.text { padding: .55rem .7rem .65rem; font-size: .8rem; color: var(--soft); overflow-wrap: anywhere; }
.text b { display: block; color: var(--ink); font-size: .9rem; }
.text code { font-size: .7rem; }
.status { font-weight: 600; }
.good { color: var(--good); } .busy { color: var(--busy); } .bad { color: var(--bad); }
.pages { display: flex; gap: 1rem; justify-content: center; align-items: center; margin-top: 1.5rem; color: var(--soft); }
.pages a { color: var(--accent); padding: .4rem .8rem; }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
/* With a table the page itself scrolls both ways, and heads stay at its edges. */
body:has(table) { width: max-content; min-width: 100%; }
body:has(table) :is(.bar, header) { position: sticky; top: auto; left: 0; width: 100vw; max-width: 100%; }
body:has(table) main { padding-left: 0; padding-right: 0; }
body:has(table) main > :is(p, .pages) { position: sticky; left: 0; width: 100vw; max-width: 100%; padding: 0 clamp(.8rem, 3vw, 2rem); }
table { min-width: 100%; border-collapse: separate; border-spacing: 0; table-layout: fixed; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: .55rem; border-bottom: 1px solid var(--line); vertical-align: top; text-align: left; overflow-wrap: anywhere; }
th { position: sticky; background: var(--paper); font-size: .9rem; }
thead th { top: 0; z-index: 1; width: 12rem; vertical-align: bottom; }
thead th:first-child { left: 0; z-index: 2; width: clamp(7rem, 24vw, 15rem); }
th:first-child { left: 0; padding-left: clamp(.8rem, 3vw, 2rem); border-right: 1px solid var(--line); }
td { color: var(--soft); font-size: .8rem; }
td p { margin: .3rem 0 0; }
.none { text-align: center; vertical-align: middle; }
figure, td p { max-width: 18rem; }
figure { margin: 0; }
figure img { display: block; width: 100%; height: auto; border-radius: 6px; background: color-mix(in srgb, var(--ink) 7%, transparent); }
.many { display: grid; grid-template-columns: 1fr 1fr; gap: .4rem; }
.empty { padding: 3rem 0; text-align: center; }
`;
