import { escapeHtml } from '../../base/html.ts'

/** Allows the page to run its own script and to call this service, nothing else. The script makes its styles inline. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Settings of Scalar: nothing is loaded from or sent to other hosts, and no key is stored. */
const SETTINGS = {
  withDefaultFonts: false,
  telemetry: false,
  proxyUrl: '',
  hideClientButton: true,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  authentication: { preferredSecurityScheme: 'bearer' },
  persistAuth: false,
  defaultOpenAllTags: true,
  documentDownloadType: 'json',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
}

/**
 * The bar of links above the description. Scalar keeps its own sticky parts below it by the height given here, and lends
 * it the colours, which follow its switch between light and dark.
 */
const STYLE = `
:root { --scalar-custom-header-height: 44px }
body { margin: 0 }
.links { position: sticky; top: 0; z-index: 100; box-sizing: border-box; height: 44px; display: flex; align-items: center;
  gap: 1.25rem; padding: 0 1.25rem; background: var(--scalar-background-1, Canvas); color: var(--scalar-color-1, CanvasText);
  border-bottom: 1px solid var(--scalar-border-color, GrayText); font: 14px/1.4 system-ui, sans-serif }
.links b { margin-right: auto; white-space: nowrap; overflow: hidden; text-overflow: ellipsis }
.links a { color: inherit; line-height: 44px; white-space: nowrap }
`

/** Returns the API description as an HTML page, to search and to try calls, with links to the other pages. */
export const referencePage = (hasQueues: boolean): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>cooler-reports: API reference</title>
<link rel="icon" href="data:,">
<style>${STYLE}</style>
</head>
<body>
<nav class="links" aria-label="Pages of this service"><b>cooler-reports: API</b><a href="/">Dashboard</a>${hasQueues ? '<a href="/queues">Queues</a>' : ''}</nav>
<noscript>This page needs JavaScript; the same without it: <a href="/openapi.json">openapi.json</a>.</noscript>
<script id="api-reference" type="application/json" data-url="/openapi.json" data-configuration="${escapeHtml(JSON.stringify(SETTINGS))}"></script>
<script src="/docs/reference.js"></script>
</body>
</html>
`
