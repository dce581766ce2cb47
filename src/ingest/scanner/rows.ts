import { A, AT, B, DEVICE, KIND, SEQ } from './memory'

/** Number of rows in the columns. */
export let rows: i32 = 0
/** Whether any row has a `seq`. */
export let hasSeq: bool = false

export function addRow(device: i32, at: f64, kind: u8, a: i32, b: i32, seq: f64): void {
  const row = rows++
  store<i32>(DEVICE + (row << 2), device)
  store<f64>(AT + (row << 3), at)
  store<u8>(KIND + row, kind)
  store<i32>(A + (row << 2), a)
  store<i32>(B + (row << 2), b)
  store<f64>(SEQ + (row << 3), seq)
  if (seq >= 0) hasSeq = true
}

export function clearRows(): void {
  rows = 0
  hasSeq = false
}
