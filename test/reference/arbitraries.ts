/** Arbitraries of telemetry for property tests. */
export { type History, historyArbitrary } from './generators/history.ts'
export { oddValueArbitrary } from './generators/odd-values.ts'
