import { escapeHtml } from '../../base/html.ts'
import type { MapTiles } from '../../config/map-tiles.ts'
import type { Bundle } from './files.ts'

/**
 * Returns the page of the dashboard: a frame that its script fills. Everything is served from here, except the tiles of
 * the map if a tile server is configured.
 */
export const dashboardPage = (
  { main, style }: Bundle,
  { mapTiles, hasQueues }: { mapTiles: MapTiles | null; hasQueues: boolean },
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Cooler reports</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(ICON)}">
<link rel="stylesheet" href="/dashboard/${style}">
<script type="module" src="/dashboard/${main}"></script>
</head>
<body>
<a id="skip" class="skip" href="#main">Skip to content</a>
<header>
<span class="mark" aria-hidden="true">❄</span>
<span id="brand" class="brand">Cooler reports</span>
<nav id="navigation" aria-label="Views"></nav>
<span class="pages"><a id="docs" href="/docs">API</a>${hasQueues ? '<a id="queues" href="/queues">Queues</a>' : ''}</span>
<div id="language" class="language"></div>
</header>
<main id="main"${tileServerOf(mapTiles)}><noscript>This page needs JavaScript.</noscript></main>
</body>
</html>
`

/** Returns the attributes from which the page's script reads the tile server. */
const tileServerOf = (mapTiles: MapTiles | null): string =>
  mapTiles === null
    ? ''
    : ` data-map-tiles="${escapeHtml(mapTiles.template)}" data-map-attribution="${escapeHtml(mapTiles.attribution)}"`

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#0b6b83"/>' +
  '<path d="M16 6v20M7.3 11l17.4 10M24.7 11 7.3 21" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/></svg>'
