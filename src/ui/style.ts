// Style of the pages: one sheet for light and dark mode, and for large and small screens.

export const style = `
:root { color-scheme: light dark; --ink: #1c232b; --soft: #5f6b77; --paper: #f4f5f6; --card: #fff; --line: #dfe3e7; --accent: #0b57d0; --on: #fff; --good: #17703a; --busy: #8a5a00; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --soft: #9aa5b0; --paper: #14181c; --card: #1d2329; --line: #2c343c; --accent: #8ab4f8; --on: #10233f; --good: #7ddb9c; --busy: #f2c46b; --bad: #ff9f97; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; gap: .4rem 1.2rem; align-items: center; padding: .7rem clamp(.8rem, 3vw, 2rem); border-bottom: 1px solid var(--line); }
nav { display: flex; gap: .3rem; }
nav a { padding: .3rem .7rem; border-radius: 8px; color: var(--soft); text-decoration: none; }
nav a[aria-current] { color: var(--ink); background: color-mix(in srgb, var(--ink) 8%, transparent); font-weight: 600; }
#live { margin-left: auto; color: var(--soft); font-size: .8rem; }
main { max-width: 72rem; margin: 0 auto; padding: 1.2rem clamp(.8rem, 3vw, 2rem) 4rem; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; overflow-wrap: anywhere; }
h2 { font-size: 1.05rem; margin: 1.8rem 0 .6rem; }
a { color: var(--accent); }
code, pre { font: .86em/1.5 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { white-space: pre-wrap; margin: .5rem 0; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
.soft, small { color: var(--soft); }
.bad { color: var(--bad); } .good { color: var(--good); } .busy { color: var(--busy); }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); gap: .9rem; margin: 0; padding: 0; list-style: none; }
.cards li, .failure, .ask, .refusal { padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.cards h2 { margin: 0; } .cards p { margin: .3rem 0; }
form + .failure { margin-top: 1rem; } .failure { margin-bottom: .7rem; } .failure p { margin: .2rem 0; }
.refusal { border-color: var(--bad); margin-bottom: 1rem; } .refusal p { margin: 0; }
.ask { border-color: var(--busy); margin-bottom: 1.2rem; display: flex; flex-wrap: wrap; gap: .8rem; align-items: start; } .ask p { flex-basis: 100%; margin: 0; }
.field { margin: 0 0 1rem; max-width: 40rem; }
label { display: block; font-weight: 600; }
input, select { width: 100%; margin: .2rem 0; }
input, select, button, summary { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .45rem .8rem; }
button, summary { cursor: pointer; width: fit-content; }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on); font-weight: 600; }
button.bad { color: var(--bad); border-color: var(--bad); margin-top: .5rem; }
summary { color: var(--soft); list-style-position: inside; }
details + form { margin-top: 1rem; }
dl { margin: 0 0 1.2rem; } dl div { display: flex; gap: 1rem; padding: .35rem 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 6.5rem; color: var(--soft); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; margin: .6rem 0 1.2rem; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); }
.steps thead th:not(:first-child) { text-align: right; } .number { text-align: right; font-variant-numeric: tabular-nums; } .lines { white-space: pre-line; }
.row { display: flex; flex-wrap: wrap; gap: .8rem; align-items: start; }
form.row { align-items: end; margin-bottom: 1rem; }
form.row :is(input, button) { margin: .2rem 0; }
::placeholder { color: var(--soft); font-weight: normal; opacity: 1; }
.state { font-weight: 600; }
progress { accent-color: var(--accent); vertical-align: middle; max-width: 40vw; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(44vw, 200px), 1fr)); gap: .9rem; margin: 0; padding: 0; list-style: none; }
.pictures li { overflow: hidden; border: 1px solid var(--line); border-radius: 10px; background: var(--card); padding-bottom: .6rem; }
.pictures img { display: block; width: 100%; aspect-ratio: 16 / 9; object-fit: contain; background: color-mix(in srgb, var(--ink) 7%, transparent); }
.pictures b, .pictures small { display: block; padding: 0 .7rem; overflow-wrap: anywhere; } .pictures b { margin-top: .5rem; font-size: .9rem; }
.pairs { flex-basis: 100%; display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: .9rem; margin: 0; padding: 0; list-style: none; }
.pairs b { overflow-wrap: anywhere; font-size: .9rem; }
.pair { display: flex; gap: .5rem; } .pair figure { flex: 1; margin: 0; } .pair img { display: block; width: 100%; border-radius: 6px; } .pair figcaption { color: var(--soft); font-size: .8rem; text-align: center; }
.review { display: grid; gap: 1.2rem; margin: 0 0 1rem; padding: 0; list-style: none; }
.review li { padding: .9rem 1rem; border: 1px solid var(--line); border-radius: 10px; background: var(--card); }
.review li:focus { outline: 2px solid var(--accent); outline-offset: 2px; }
.review img { max-height: 70vh; object-fit: contain; }
.review fieldset { display: flex; flex-wrap: wrap; gap: 1rem; margin: .6rem 0 0; padding: 0; border: 0; }
.review input[type='radio'] { width: auto; }
.changed { flex: 1 0 100%; } .changed input[type='checkbox'] { width: auto; }
.decide { position: sticky; bottom: 0; display: flex; flex-wrap: wrap; gap: .8rem; align-items: end; padding: .8rem 0; background: var(--paper); }
.decide label { flex: 1 1 20rem; }
.changed .decide { position: static; background: none; }
.empty { padding: 3rem 0; text-align: center; color: var(--soft); }
@media (max-width: 32rem) { table { font-size: .85rem; } th, td { padding-right: .5rem; } }
:is(a, input, select, button, summary):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
`;
