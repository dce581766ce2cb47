/** Styles of the SVG charts. Their colours are set here, so that they follow light and dark mode. */
export const CHART_STYLE = `
.chart { display: block; width: 100%; height: auto; overflow: visible }
.chart text { fill: var(--quiet); font-size: 11px; font-variant-numeric: tabular-nums }
.chart .axis { stroke: var(--line); stroke-width: 1 }
.chart .zero { stroke: var(--strong-line); stroke-width: 1 }
.chart .band { fill: var(--band); stroke: none }
.chart .low { stroke: var(--low) } .chart .mean { stroke: var(--mean) } .chart .high { stroke: var(--high) }
.chart .set { stroke: var(--set); stroke-dasharray: 5 3 }
.chart .deviation { stroke: var(--mean) } .chart .limit { stroke: var(--flag); stroke-dasharray: 2 3 }
.chart .line { fill: none; stroke-width: 1.75; stroke-linejoin: round; stroke-linecap: round }
.chart .thin { stroke-width: 1 }
.chart circle.mean, .chart circle.deviation { fill: var(--mean); stroke: none } .chart circle.low { fill: var(--low); stroke: none }
.chart circle.high { fill: var(--high); stroke: none } .chart circle.set { fill: var(--set); stroke: none }
.chart rect.doors, .key .doors { fill: var(--doors) } .chart rect.visitors, .key .visitors { fill: var(--visitors) }
.chart rect.by-day, .key .by-day { fill: var(--day) } .chart rect.by-night, .key .by-night { fill: var(--night) }
.chart rect.too-far, .chart circle.too-far { fill: var(--flag) }
.chart .day:hover { fill: var(--text); fill-opacity: .06 }
.chart .day { fill: transparent; cursor: pointer }
.chart .span-on { fill: var(--good) } .chart .span-off { fill: var(--off) }
.chart .span-unknown { fill: var(--panel); stroke: var(--strong-line); stroke-width: 1; stroke-dasharray: 3 2 }
.chart .daytime { fill: var(--day) }
.legend { display: flex; flex-wrap: wrap; gap: .15rem 1rem; list-style: none; margin: 0 0 .4rem; padding: 0; font-size: .86rem; color: var(--quiet) }
.legend .key { width: 18px; height: 10px; vertical-align: -1px; margin-right: .35rem }
.legend .band { fill: var(--band); stroke: none }
.key .span-on { fill: var(--good) } .key .span-off { fill: var(--off) } .key .span-unknown { fill: var(--panel); stroke: var(--strong-line) } .key .daytime { fill: var(--day) }
.key .line { fill: none; stroke-width: 2 } .key .mean, .key .deviation { stroke: var(--mean) } .key .low { stroke: var(--low) }
.key .high { stroke: var(--high) } .key .set { stroke: var(--set); stroke-dasharray: 5 3 } .key .limit { stroke: var(--flag); stroke-dasharray: 2 3 }
details { margin-top: .5rem }
summary { cursor: pointer; color: var(--accent); padding: .35rem 0; width: fit-content }
details .scroll { max-height: 22rem }
details thead th { position: sticky; top: 0 }
`
