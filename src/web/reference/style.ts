/** The one style sheet of the reference page. Colours have a contrast of 4.5 or more against what they stand on. */
export const STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --quiet: #57606a; --ground: #fff; --raised: #f3f5f7; --line: #d0d7de;
  --link: #0757b8; --get: #0b6b3a; --post: #0757b8; --put: #8a4600; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e9ec; --quiet: #a3acb5; --ground: #15181c; --raised: #1f2429; --line: #3a424a;
    --link: #7db7ff; --get: #6fd39b; --post: #7db7ff; --put: #f0b072; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.55 system-ui, sans-serif; }
a { color: var(--link); }
a:focus-visible, pre:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem 1rem; background: var(--ground); z-index: 1; }
nav { padding: 1rem; border-bottom: 1px solid var(--line); background: var(--raised); font-size: .92rem; }
nav p { margin: 1rem 0 .25rem; font-weight: 700; }
nav p:first-child { margin-top: 0; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav a { display: block; padding: .2rem 0; text-decoration: none; }
nav a:hover { text-decoration: underline; }
main { max-width: 62rem; padding: 1rem; }
h1 { margin: .5rem 0; font-size: 1.9rem; line-height: 1.2; }
h2 { margin: 3rem 0 1rem; padding-top: 1rem; border-top: 1px solid var(--line); font-size: 1.5rem; }
h3 { margin: 3rem 0 .5rem; font-size: 1.2rem; }
h3 a { color: inherit; text-decoration: none; }
h3 a:hover { text-decoration: underline; }
h4 { margin: 1.75rem 0 .5rem; font-size: 1rem; }
h5 { margin: 1.25rem 0 .25rem; font-size: .95rem; }
p, li, td, th, h3 { overflow-wrap: anywhere; }
li { margin: .25rem 0; }
code, pre { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .88em; }
code { padding: .1em .25em; border-radius: .2rem; background: var(--raised); }
pre { margin: .5rem 0; padding: .75rem; max-height: 28rem; overflow: auto; border: 1px solid var(--line);
  border-radius: .3rem; background: var(--raised); }
pre code { padding: 0; }
summary { cursor: pointer; padding: .25rem 0; color: var(--link); }
table { width: 100%; margin: .5rem 0; border-collapse: collapse; font-size: .95rem; }
th, td { padding: .4rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { color: var(--quiet); font-size: .85rem; }
th:first-child { width: 34%; }
tbody th { font-weight: normal; }
.errors th:nth-child(2), .errors td:nth-child(2) { width: 4.5rem; }
.type { display: block; color: var(--quiet); font-size: .85rem; }
.example { display: block; color: var(--quiet); font-size: .9rem; }
.quiet { color: var(--quiet); }
.in1 { padding-left: 1.5rem; } .in2 { padding-left: 2.5rem; } .in3 { padding-left: 3.5rem; }
.in4 { padding-left: 4.5rem; } .in5 { padding-left: 5.5rem; }
.method { font-weight: 700; } .get { color: var(--get); } .post { color: var(--post); } .put { color: var(--put); }
@media (min-width: 60rem) {
  .page { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow: auto; border-right: 1px solid var(--line); border-bottom: 0; }
  main { padding: 1rem 3rem 6rem; }
}
@media (max-width: 36rem) {
  .in1 { padding-left: 1rem; } .in2 { padding-left: 1.5rem; } .in3, .in4, .in5 { padding-left: 2rem; }
  th:first-child { width: 46%; }
  .errors th:first-child { width: 36%; }
  .errors th:nth-child(2), .errors td:nth-child(2) { width: 3.5rem; }
  th code { padding: 0; font-size: .8em; }
}
@media print { nav, .skip { display: none; } pre { max-height: none; } }
`
