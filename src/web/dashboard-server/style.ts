import { CHART_STYLE } from './style-charts.ts'
import { VIEW_STYLE } from './style-views.ts'

/** Colours, type, and the frame around the views. */
const FRAME_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f7f8; --panel: #ffffff; --raised: #f9fbfc; --line: #d8e0e4; --strong-line: #8a99a3;
  --text: #16222b; --quiet: #526069; --accent: #0a6379; --on-accent: #ffffff; --accent-wash: #e3f1f4;
  --flag: #a8320a; --flag-wash: #fdf0e9; --good: #1b6e46; --good-wash: #e6f4ec; --wait-wash: #fff6dc; --wait: #755400;
  --low: #2d6fb7; --mean: #0a6379; --high: #b5472a; --set: #7a4fb0; --band: #cfe5ea; --night: #5d7fae; --day: #c98a12;
  --doors: #0a7f86; --visitors: #8756a8; --off: #9aa7af; --on-wash: #e4f2e9; --off-wash: #d9dfe3; --unknown-wash: #fbf3d9; --land: #dfe6e2; --sea: #eef3f6; --shore: #b9c5c3;
  --row: 36px;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1317; --panel: #151d22; --raised: #1a242a; --line: #2b3841; --strong-line: #6d7e89;
    --text: #e3ebef; --quiet: #a1b1bb; --accent: #63c5da; --on-accent: #06232b; --accent-wash: #16333c;
    --flag: #ffa27c; --flag-wash: #34211a; --good: #7ed3a5; --good-wash: #15291f; --wait-wash: #332b14; --wait: #f0cb74;
    --low: #75b1f2; --mean: #63c5da; --high: #f39376; --set: #c1a0ec; --band: #1f4450; --night: #7d9fd0; --day: #e3b04e;
    --doors: #56c4c6; --visitors: #c79be6; --off: #5a6972; --on-wash: #17291f; --off-wash: #2c373e; --unknown-wash: #33301d; --land: #25332f; --sea: #10181d; --shore: #3d4f4b;
  }
}
@media (pointer: coarse) { :root { --row: 44px } }
* { box-sizing: border-box }
html { font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; background: var(--page); color: var(--text); -webkit-text-size-adjust: 100% }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0; letter-spacing: -0.01em; overflow-wrap: anywhere }
h1:focus-visible { outline-offset: 4px }
h2 { font-size: 1rem; margin: 0 0 .5rem }
h3 { font-size: .93rem; margin: 1rem 0 .4rem }
p { margin: 0 0 .6rem }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px }
code { font: .86em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Noto Sans Mono", monospace; overflow-wrap: anywhere }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px }
[hidden] { display: none !important }
.spoken { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
.quiet { color: var(--quiet) }
.skip { position: absolute; left: .5rem; top: -4rem; padding: .6rem 1rem; background: var(--accent); color: var(--on-accent); border-radius: 6px; z-index: 9 }
.skip:focus { top: .5rem }
header { display: flex; align-items: center; gap: .5rem; padding: 0 1.5rem; background: var(--panel); border-bottom: 1px solid var(--line) }
.mark { display: grid; place-items: center; width: 1.7rem; height: 1.7rem; border-radius: 7px; background: var(--accent); color: var(--on-accent); font-size: 1rem }
.brand { font-weight: 650; margin-right: 1.2rem; white-space: nowrap }
nav { display: flex; flex: 1; align-self: stretch }
nav a { display: flex; align-items: center; min-height: 48px; padding: 2px .9rem 0; color: var(--quiet); text-decoration: none; border-bottom: 2px solid transparent; white-space: nowrap }
nav a:hover { color: var(--text) }
nav a[aria-current] { color: var(--text); font-weight: 600; border-bottom-color: var(--accent) }
nav a:focus-visible { outline-offset: -3px }
.pages { display: flex; gap: .9rem }
.pages a { display: flex; align-items: center; min-height: 44px; color: var(--quiet); white-space: nowrap }
main { flex: 1 0 0px; width: 100%; max-width: 1480px; margin: 0 auto; padding: 1.25rem 1.5rem 2rem; display: flex; flex-direction: column; min-width: 0 }
button, input, select { font: inherit; color: inherit }
button, select, input { min-height: 36px; padding: 0 .7rem; background: var(--panel); border: 1px solid var(--strong-line); border-radius: 6px }
button { cursor: pointer; white-space: nowrap }
button:hover { background: var(--raised); border-color: var(--text) }
button:disabled { opacity: .55; cursor: default }
button.primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600 }
button.small { min-height: 28px; padding: 0 .55rem; font-size: .93rem }
@media (pointer: coarse) { button, select, input, button.small { min-height: 44px } }
progress { width: 100%; height: 4px; accent-color: var(--accent) }
.language select { border-color: transparent; background: transparent }
.language select:hover { border-color: var(--strong-line) }
@media (max-width: 760px) {
  header { flex-wrap: wrap; padding: .4rem .9rem 0; row-gap: 0 }
  .brand { flex: 1 }
  nav { order: 3; flex: 1 0 100%; justify-content: space-between; margin: 0 -.4rem }
  nav a { padding: 0 .4rem; min-height: 44px }
  main { padding: .9rem .9rem 1.5rem }
  h1 { font-size: 1.25rem }
}
@media (prefers-reduced-motion: no-preference) { nav a, button { transition: color .12s, background-color .12s, border-color .12s } }
`

/** The style sheet of the dashboard. */
export const DASHBOARD_STYLE = `${FRAME_STYLE}${VIEW_STYLE}${CHART_STYLE}`
