/** Styles of panels, tables, forms and single views. */
export const VIEW_STYLE = `
.view-head { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .7rem 1.5rem; margin-bottom: 1rem }
.view-tools { gap: .4rem 1.2rem }
.view-tools, .day-tools, .row { display: flex; align-items: center; flex-wrap: wrap }
.day-tools, .row { gap: .4rem }
.downloads { margin: 0 0 .9rem }
.day-tools label { color: var(--quiet); margin-right: .25rem }
.step { width: 36px; padding: 0; font-size: 1.2rem; line-height: 1 }
@media (pointer: coarse) { .step { width: 44px } }
.panel { background: var(--panel); border: 1px solid var(--line); border-radius: 10px; padding: 1rem 1.1rem; margin-bottom: 1rem; min-width: 0 }
.grid { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 1rem }
.grid > .panel { margin: 0 }
.stack { display: grid; gap: 1rem; min-width: 0 }
.stack > .panel { margin: 0 }
@media (max-width: 900px) { .grid { grid-template-columns: minmax(0, 1fr) } }
.trouble { background: var(--panel); border: 1px solid var(--line); border-left: 4px solid var(--flag); border-radius: 8px; padding: 1rem 1.2rem; max-width: 44rem; margin-bottom: 1rem }
.trouble label { display: block; color: var(--quiet); margin-bottom: .2rem }
.trouble input { flex: 1; min-width: 12rem }
.wrong { color: var(--flag); font-weight: 600 }
.note { padding: .6rem .9rem; border-radius: 8px; background: var(--wait-wash); color: var(--wait); margin-bottom: .8rem }
.note.good { background: var(--good-wash); color: var(--good) }
.note.bad { background: var(--flag-wash); color: var(--flag) }

.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); gap: .7rem 1.2rem; margin: 0 }
.facts dt, .totals dt { color: var(--quiet); font-size: .86rem }
.facts dd, .totals dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.totals { display: grid; grid-template-columns: repeat(8, minmax(0, 1fr)); margin: 0 0 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow: hidden }
.totals > div { padding: .65rem .9rem; box-shadow: -1px 0 0 var(--line), 0 -1px 0 var(--line) }
.totals dd { font-size: 1.22rem; font-weight: 600; white-space: nowrap }
.totals .flagged dd { color: var(--flag) }
.unit { color: var(--quiet); font-weight: 400; font-size: .82rem }
@media (max-width: 1100px) { .totals { grid-template-columns: repeat(4, minmax(0, 1fr)) } }
@media (max-width: 560px) { .totals { grid-template-columns: repeat(3, minmax(0, 1fr)) } .totals > div { padding: .4rem .6rem } .totals dd { font-size: 1rem } .totals dt { font-size: .79rem } }

.fleet-day { flex: 1 1 0px; display: flex; flex-direction: column; min-height: 0 }
.filters { display: flex; flex-wrap: wrap; gap: .6rem .9rem; align-items: end; margin-bottom: .8rem }
.field label { display: block; color: var(--quiet); font-size: .86rem; margin-bottom: .15rem }
.field.grow input { width: 17rem; max-width: 100% }
.field.state { flex: 1; text-align: right; min-width: 12rem }
.count { margin: 0; color: var(--quiet); font-variant-numeric: tabular-nums }
@media (max-width: 560px) { .field { flex: 1 1 9rem; min-width: 0 } .field :is(input, select) { width: 100% } .field.state { flex-basis: 100%; text-align: left } }

.scroll { overflow: auto; max-width: 100%; position: relative }
.scroll:focus-visible { outline-offset: -2px }
table { border-collapse: separate; border-spacing: 0; width: 100% }
th, td { padding: .3rem .7rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); font-weight: 400 }
thead th { color: var(--quiet); font-size: .86rem; white-space: nowrap; background: var(--panel) }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
tbody tr:last-child > * { border-bottom: 0 }
.plain :is(td, tbody th) { vertical-align: middle }
.plain th[scope=row] { white-space: nowrap }
@media (max-width: 560px) { .plain :is(th, td) { padding: .3rem .45rem } .plain th:first-child { padding-left: 0 } .plain th[scope=row] { white-space: normal; min-width: 5rem } }
.stack > :empty { margin: 0 0 -1rem }
.readings .scroll { max-height: 36rem }
.readings thead th { position: sticky; top: 0 }
.plain td:has(button) { text-align: right; white-space: nowrap }
.nowrap { white-space: nowrap }

.fleet-scroll { flex: 1 1 0px; min-height: 26rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px }
.fleet { table-layout: fixed; min-width: 1060px }
.fleet thead { position: sticky; top: 0; z-index: 2 }
.fleet thead th { padding: 0; border-bottom: 1px solid var(--strong-line) }
.fleet thead th:first-child { width: 190px }
.fleet thead th:nth-child(2) { width: 118px }
.fleet thead button { display: flex; flex-direction: column; justify-content: center; width: 100%; min-height: 46px; padding: .2rem .7rem; line-height: 1.25; border: 0; border-radius: 0; background: transparent; color: var(--quiet); text-align: left }
.fleet thead .number button { align-items: flex-end; text-align: right }
.fleet thead button:hover { color: var(--text) }
.fleet thead button:focus-visible { outline-offset: -3px }
.fleet [aria-sort] button { color: var(--text); font-weight: 600 }
.fleet [aria-sort=ascending] .name::after { content: " ↑" / "" }
.fleet [aria-sort=descending] .name::after { content: " ↓" / "" }
.fleet tbody tr { height: var(--row) }
.fleet tbody :is(th, td) { padding: 0 .7rem; height: var(--row); vertical-align: middle; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.fleet tbody th a { display: block; overflow: hidden; text-overflow: ellipsis; line-height: calc(var(--row) - 4px); text-decoration: none }
.fleet tbody th a:hover { text-decoration: underline }
.fleet tbody th a:focus-visible { outline-offset: -2px }
.fleet th:first-child { position: sticky; left: 0; z-index: 1; background: var(--panel) }
.fleet tbody tr:hover :is(th, td) { background: var(--raised) }
.fleet tbody .marked :is(th, td), .fleet tbody .marked:hover :is(th, td) { background: var(--flag-wash) }
.fleet .spacer, .fleet .spacer tr, .fleet .spacer td { height: auto; padding: 0; border: 0; background: none }
.flag { color: var(--flag); font-weight: 600; white-space: nowrap }
@media (max-width: 560px) { .fleet thead th:first-child { width: 122px } .fleet-scroll { min-height: 24rem } }

.map-view { flex: 1 1 0px; display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 1rem; min-height: 30rem }
.map-frame { position: relative; min-height: 24rem; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; background: var(--sea) }
.map-frame canvas { position: absolute; inset: 0; width: 100%; height: 100%; touch-action: none; cursor: grab }
.map-frame canvas:active { cursor: grabbing }
.map-frame canvas:focus-visible { outline-offset: -3px }
.map-buttons { position: absolute; right: .7rem; top: .7rem; display: grid; gap: .35rem; justify-items: end }
.map-buttons .zoom { width: 36px; padding: 0; font-size: 1.1rem }
.map-foot { position: absolute; inset: auto .7rem .7rem; display: flex; flex-wrap: wrap; align-items: flex-end; justify-content: space-between; gap: .35rem; pointer-events: none }
.map-foot > * { pointer-events: auto }
.map-foot p { margin: 0; padding: .05rem .45rem; background: var(--panel); border-radius: 5px; font-size: .8rem; overflow-wrap: anywhere }
.map-legend { margin: 0; padding: .45rem .7rem; display: flex; flex-wrap: wrap; gap: .2rem .9rem; list-style: none; background: var(--panel); border: 1px solid var(--line); border-radius: 7px; font-size: .86rem }
.map-legend svg { width: 12px; height: 12px; vertical-align: -1px; margin-right: .35rem }
.map-side { display: flex; flex-direction: column; gap: 1rem; min-width: 0; min-height: 0 }
.map-side .panel { margin: 0 }
.map-side .flagged-list { flex: 1 1 0px; min-height: 14rem; display: flex; flex-direction: column }
.map-side .flagged-list .scroll { flex: 1 1 0px; min-height: 0 }
.map-side .facts { grid-template-columns: 1fr; gap: .4rem }
.map-side :is(th, td) { padding: .25rem .4rem; vertical-align: middle }
@media (max-width: 900px) { .map-view { grid-template-columns: minmax(0, 1fr) } .map-frame { height: 58vh } .map-side .flagged-list { flex: none; min-height: 0 } .map-side .flagged-list .scroll { flex: none; max-height: 24rem } }

.figures td { vertical-align: middle }
.figures tr.marked > * { background: var(--flag-wash) }
.raw { display: block; min-width: 18rem; max-width: 60rem; max-height: 12rem; overflow: auto; white-space: pre-wrap }
.badge { display: inline-block; padding: .05rem .55rem; border-radius: 99px; font-size: .86rem; font-weight: 600; background: var(--accent-wash); color: var(--accent) }
.badge.provisional { background: var(--wait-wash); color: var(--wait) }
.badge.revised { background: var(--flag-wash); color: var(--flag) }
.badge.settled { background: var(--good-wash); color: var(--good) }
.lead { display: flex; flex-wrap: wrap; gap: .3rem .9rem; align-items: baseline; margin-bottom: 1rem }
.lead p { margin: 0 }
.more { margin-top: .8rem }
`
