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
.facts dt { color: var(--quiet); font-size: .86rem }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.totals { display: grid; gap: .8rem; margin: 0 0 1rem }
.parts { display: flex; flex-wrap: wrap; gap: .4rem }
.parts button { display: flex; align-items: center; gap: .5rem }
.parts b { font-variant-numeric: tabular-nums }
.parts .part::first-letter { text-transform: uppercase }
.parts .bad b { color: var(--flag) }
.parts [aria-pressed=true] { border-color: var(--accent); background: var(--accent-wash) }
.together { display: flex; flex-wrap: wrap; gap: .4rem 1.6rem; margin: 0; padding: .55rem .9rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px }
.together dt { color: var(--quiet); font-size: .86rem }
.together dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; white-space: nowrap }
.together .before { font-weight: 400; font-size: .86rem }
.unit { color: var(--quiet); font-weight: 400; font-size: .82rem }

.fleet-list { flex: 1 0 auto; display: flex; flex-direction: column; min-width: 0 }
.fleet-place { flex: 1 0 auto; display: flex; flex-direction: column; min-width: 0 }
.day-field { display: flex; align-items: center; gap: .3rem }
.columns { position: relative; margin: 0 }
.columns .boxes { position: absolute; z-index: 5; right: 0; width: max-content; max-width: 80vw; max-height: 60vh; overflow: auto; display: grid; gap: .25rem; padding: .7rem 1rem; background: var(--panel); border: 1px solid var(--strong-line); border-radius: 8px }
.list-tools { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: center; gap: .2rem 1rem; margin-bottom: .6rem }
.list-tools .downloads { margin: 0 }
.fleet thead [class*=column-day-] { width: 84px }
.fleet td:has(.heat) { padding: 0 }
.heat { display: grid; place-content: center end; height: 100%; padding: 0 .5rem; text-decoration: none; color: #16222b; font-variant-numeric: tabular-nums }
.heat-unknown { background: repeating-linear-gradient(45deg, transparent 0 4px, var(--line) 4px 5px) }
.heat-0 { background: #d8e7f3 } .heat-1 { background: #c3dcea } .heat-2 { background: #dcecd9 } .heat-3 { background: #f2efc9 } .heat-4 { background: #fbe0a9 } .heat-5 { background: #f7bd8f } .heat-6 { background: #ee9a80 }
.badges { display: flex; gap: .25rem }
.badge.exception { background: var(--flag-wash); color: var(--flag) }
.badge.exception:is(.silent, .no-power-data) { background: var(--wait-wash); color: var(--wait) }
.badge.none { background: none; color: var(--quiet); outline: 1px dashed var(--strong-line) }
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

.fleet-scroll { overflow-anchor: none; flex: 1 1 26rem; height: 26rem; min-height: 26rem; background: var(--panel); border: 1px solid var(--line); border-radius: 10px }
.fleet { table-layout: fixed; width: max-content; min-width: 100% }
.fleet thead { position: sticky; top: 0; z-index: 2 }
.fleet thead th { padding: 0; border-bottom: 1px solid var(--strong-line) }
.fleet thead th:first-child { width: 190px }
.fleet thead th { width: 96px }
.fleet .column-exceptions { width: 200px } .fleet .column-status { width: 110px } .fleet .column-lastHeardAt { width: 220px } .fleet .column-address { width: 240px } .fleet .column-timezone { width: 170px }
.fleet thead :is(button, div) { display: flex; flex-direction: column; justify-content: center; width: 100%; min-height: 46px; padding: .2rem .7rem; line-height: 1.25; border: 0; border-radius: 0; background: transparent; color: var(--quiet); text-align: left }
.fleet thead .number :is(button, div) { align-items: flex-end; text-align: right }
.fleet thead button:hover { color: var(--text) }
.fleet thead button:focus-visible { outline-offset: -3px }
.fleet [aria-sort] button { color: var(--text); font-weight: 600 }
.fleet [aria-sort=ascending] .name::after { content: " ↑" / "" }
.fleet [aria-sort=descending] .name::after { content: " ↓" / "" }
.fleet tbody tr { height: var(--row) }
.fleet tbody :is(th, td) { padding: 0 .7rem; max-width: 240px; height: var(--row); vertical-align: middle; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.fleet tbody th { max-width: 190px }
.fleet tbody th a { display: block; overflow: hidden; text-overflow: ellipsis; line-height: calc(var(--row) - 4px); text-decoration: none }
.fleet tbody th a:hover { text-decoration: underline }
.fleet tbody th a:focus-visible { outline-offset: -2px }
.fleet th:first-child { position: sticky; left: 0; z-index: 1; background: var(--panel) }
.fleet tbody tr:hover :is(th, td) { background: var(--raised) }
.fleet tbody .marked :is(th, td), .fleet tbody .marked:hover :is(th, td) { background: var(--flag-wash) }
.fleet .spacer, .fleet .spacer tr, .fleet .spacer td { height: auto; padding: 0; border: 0; background: none }
.flag { color: var(--flag); font-weight: 600; white-space: nowrap }
@media (max-width: 560px) { .fleet thead th:first-child { width: 122px } .fleet tbody th { max-width: 122px } .fleet-scroll { min-height: 24rem } }

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

@media print {
  @page { size: landscape; margin: 8mm }
  header, .skip, .view-tools, .downloads, .columns, .filters, .parts button:not([aria-pressed=true]), .leaflet-control-container, .whole, details summary { display: none !important }
  html { font-size: 9px; background: #fff } main { max-width: none; padding: 0 }
  .fleet-list, .fleet-place, .fleet-scroll, .scroll { display: block; height: auto !important; min-height: 0; max-height: none !important; overflow: visible; border: 0 }
  .fleet { table-layout: auto; width: 100%; min-width: 0; font-size: 7px }
  .fleet thead, .fleet th:first-child { position: static } .fleet thead th { width: auto !important }
  .fleet thead :is(button, div) { min-height: 0; padding: 1px 2px }
  .fleet tbody :is(th, td), .fleet tbody tr { height: auto; max-width: none; padding: 1px 2px; white-space: normal; overflow-wrap: anywhere } .fleet tbody th a { line-height: inherit; white-space: normal }
  .fleet tbody .number { white-space: nowrap }
  .badges { flex-wrap: wrap } .badge { padding: 0 2px; font-size: inherit; white-space: nowrap } tr { break-inside: avoid }
}
`
