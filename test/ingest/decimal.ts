import fc from 'fast-check'

const digits = (most: number) =>
  fc.array(fc.nat(9), { minLength: 1, maxLength: most, size: 'max' }).map((d) => d.join(''))

/** Text that is a number, or nearly. */
export const decimal = fc.oneof(
  digits(20),
  fc.tuple(fc.constantFrom('', '-'), digits(9), digits(9)).map(([sign, whole, part]) => `${sign}${whole}.${part}`),
  fc.tuple(fc.nat(30), digits(17)).map(([zeros, part]) => `0.${'0'.repeat(zeros)}${part}`),
  fc.stringMatching(/^[-+]?0{0,2}[0-9]{0,30}(\.[0-9]{0,30})?([eE][-+]?[0-9]{0,4})?$/),
  fc.double().map(String),
  fc.integer({ min: -3, max: 3 }).map((step) => String(2n ** 53n + BigInt(step))),
)
