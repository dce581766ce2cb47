/** Styles of the plots and the map. What a library sets is changed where it would not follow light and dark mode. */
export const CHART_STYLE = `
.plot { width: 100%; min-height: 100px }
.u-legend { color: var(--text); font-size: .86rem; text-align: left; font-variant-numeric: tabular-nums }
.u-legend th, .u-legend td { border: 0; padding: .1rem .3rem; background: none; white-space: nowrap }
.u-inline tr { margin-right: .9rem }
.u-select { background: var(--accent); opacity: .15 }
.u-over { touch-action: pan-y }
.pickable { cursor: pointer }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; list-style: none; margin: 0 0 .4rem; padding: 0; font-size: .86rem; color: var(--quiet) }
.swatch { display: inline-block; width: 18px; height: 10px; border: 1px solid var(--strong-line); vertical-align: -1px }
.swatch.on { background: var(--on-wash) } .swatch.off { background: var(--off-wash) } .swatch.unknown { background: var(--unknown-wash) }
details { margin-top: .5rem }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content }
details .scroll { max-height: 22rem }
details thead th { position: sticky; top: 0 }

.map-view { flex: 1 1 auto; display: grid; grid-template-columns: minmax(0, 1fr) 22rem; gap: 1rem; min-height: 30rem }
.map-frame { position: relative; min-height: 24rem; border: 1px solid var(--line); border-radius: 10px; overflow: hidden; isolation: isolate }
.map-frame.leaflet-container { background: var(--sea); font: inherit; color: var(--text) }
.map-frame:focus-visible { outline-offset: -3px }
.land { fill: var(--land); fill-opacity: 1; stroke: var(--shore); stroke-width: .7 }
.map-frame :is(.leaflet-bar a, .leaflet-control-scale-line, .leaflet-control-attribution, .leaflet-tooltip) { background: var(--panel); color: var(--text); border-color: var(--strong-line) }
.map-frame .leaflet-control-scale-line { text-shadow: none }
.map-frame .whole { position: absolute; right: .7rem; top: .7rem; z-index: 900 }
.mark-on-map { display: grid; place-items: center; border-radius: 50%; font-weight: 600; line-height: 1; color: var(--on-accent); background: var(--accent); border: 2px solid var(--panel) }
.mark-on-map > span { display: grid; white-space: nowrap; justify-items: center; gap: 1px; font-size: .79rem }
.mark-on-map.bad { background: var(--flag); color: var(--panel) }
.mark-on-map.unknown { background: var(--panel); color: var(--quiet); border: 2px dashed var(--quiet) }
.cooler-mark { font-size: .65rem }
.tie { stroke: var(--flag); stroke-width: 1.5; stroke-dasharray: 4 3 }
.last-fix { stroke: var(--flag); fill: var(--panel); fill-opacity: 1 }
.selected { stroke: var(--accent); fill: none }
.map-legend { margin: 0; padding: 0; display: grid; gap: .3rem; list-style: none; font-size: .86rem; color: var(--quiet) }
.map-legend li { display: flex; align-items: center; gap: .5rem }
.map-legend .mark-on-map { flex: none; width: 18px; height: 18px; font-size: .6rem }
.map-legend .last-fix { width: 13px; height: 13px; margin: 0 2px; background: var(--panel); border: 2px solid var(--flag) }
.map-side { display: flex; flex-direction: column; gap: 1rem; min-width: 0; min-height: 0 }
.map-side .panel { margin: 0 }
.map-side .moved-list { flex: 1 1 18rem; min-height: 18rem; display: flex; flex-direction: column }
.map-side .moved-list .scroll { flex: 1 1 0px; min-height: 0 }
.map-side .facts { grid-template-columns: 1fr; gap: .4rem }
.map-side :is(th, td) { padding: .25rem .4rem; vertical-align: middle }
.map-side th[scope=row] { white-space: normal; overflow-wrap: anywhere }
@media (max-width: 900px) { .map-view { grid-template-columns: minmax(0, 1fr) } .map-frame { height: 58vh } .map-side .moved-list { flex: none; min-height: 0 } .map-side .moved-list .scroll { flex: none; max-height: 24rem } }
`
