import { yesterday } from './days.ts'
import { showDevice } from './device-view.ts'
import { fill, h } from './dom.ts'
import { showExplanation } from './explain-view.ts'
import { showFleet } from './fleet-view.ts'
import { showHealth } from './health-view.ts'
import { LANGUAGES, type Language, language, preferredLanguage, say, useLanguage } from './messages.ts'
import { showMessages } from './outbox-view.ts'
import { showRejects } from './rejects-view.ts'
import { hashOf, parseRoute, type Route } from './routes.ts'
import { showSubscriptions } from './subscriptions-view.ts'
import { KEY_CHANGED } from './trouble.ts'
import { beginView, choice, type Stage } from './view.ts'

const element = (id: string): HTMLElement => document.getElementById(id) as HTMLElement

let leave = new AbortController()

/** Shows the view that the address names, and aborts the work of the previous view. */
function show(): void {
  leave.abort()
  leave = new AbortController()
  const stage: Stage = { main: element('main'), signal: leave.signal }
  const route = parseRoute(location.hash, Date.now())
  showNavigation(route)
  void showRoute(stage, route)
}

async function showRoute(stage: Stage, route: Route | null): Promise<void> {
  if (route === null) {
    beginView(stage, say('unknown-view'))
    stage.main.append(h('p', {}, say('unknown-view-text')))
    return
  }
  if (route.view === 'day' || route.view === 'range') return showFleet(stage, route)
  if (route.view === 'map') return (await import('./map-view.ts')).showMap(stage, route)
  if (route.view === 'device') return showDevice(stage, route.id, route.lastDay)
  if (route.view === 'explain') return showExplanation(stage, route.id, route.day)
  if (route.view === 'subscriptions') return showSubscriptions(stage)
  if (route.view === 'messages') return showMessages(stage, route.choices)
  return route.view === 'rejects' ? showRejects(stage) : showHealth(stage)
}

/** Shows the navigation. Its links to the views of all coolers keep the current day. */
function showNavigation(route: Route | null): void {
  const day = dayOf(route)
  const links: [Route, string][] = [
    [{ view: 'day', day, choices: {} }, say('nav-day')],
    [{ view: 'map', day, choices: {} }, say('nav-map')],
    [{ view: 'subscriptions' }, say('nav-subscriptions')],
    [{ view: 'rejects' }, say('nav-rejects')],
    [{ view: 'health' }, say('nav-health')],
  ]
  fill(
    element('navigation'),
    links.map(([to, name]) =>
      h('a', { href: hashOf(to), 'aria-current': viewOf(route) === to.view ? 'page' : null }, name),
    ),
  )
}

const WITHIN: Readonly<Record<string, string>> = { range: 'day', messages: 'subscriptions' }

const viewOf = (route: Route | null): string | undefined =>
  route === null ? undefined : (WITHIN[route.view] ?? route.view)

/** Returns the day that a view is about: the last one of several, or the last that is over. */
function dayOf(route: Route | null): number {
  if (route !== null && 'day' in route) return route.day
  if (route?.view === 'range') return route.to
  return route?.view === 'device' ? route.lastDay : yesterday(Date.now())
}

/** Fills the frame around the views, in the language in use. */
function showFrame(): void {
  document.documentElement.lang = language()
  element('brand').textContent = say('brand')
  element('skip').textContent = say('skip-to-content')
  element('navigation').setAttribute('aria-label', say('main-navigation'))
  element('docs').textContent = say('page-docs')
  // Only there if the service has queues.
  document.getElementById('queues')?.replaceChildren(say('page-queues'))
  const select = choice('language-choice', Object.entries(LANGUAGES), language(), (chosen) => {
    useLanguage(chosen as Language, { kept: true })
    showFrame()
    show()
  })
  select.setAttribute('aria-label', say('language'))
  for (const option of select.options) option.lang = option.value
  fill(element('language'), select)
}

useLanguage(preferredLanguage(), { kept: false })
showFrame()
show()

/** Shows a view and moves the focus to its heading. Not used at the first load, where the page starts at its top. */
function go(): void {
  show()
  window.scrollTo(0, 0)
  element('main').querySelector('h1')?.focus({ preventScroll: true })
}

window.addEventListener('hashchange', go)
window.addEventListener(KEY_CHANGED, go)
// The address must not change: a hash set by this link would be read as a view.
element('skip').addEventListener('click', (event) => {
  event.preventDefault()
  element('main').querySelector('h1')?.focus()
})
